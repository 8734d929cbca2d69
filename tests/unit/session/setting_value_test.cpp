// Tests that the values of settings read back as they were written, in JSON and as text.
#include "core/session/setting_value.h"

#include <gtest/gtest.h>

#include "core/session/settings.h"
#include "tests/unit/instrumented.h"
#include "tests/unit/session/random_settings.h"

namespace headscope {
namespace {

TEST(SettingValue, ReadsBackWhatItWrites) {
  RandomSettings random(3);
  for (int run = 0; run < rounds(100); ++run) {
    const Session other = random.session(nullptr);
    for (const Setting& each : all_settings) {
      if (is_stored_by_name(each)) continue;
      Session read = other;
      assign_value(each, value_of(each, default_session()), read);
      ASSERT_FALSE(assign_value(each, value_of(each, other), read)) << each.key;
      EXPECT_TRUE(same_setting(each, read, other)) << each.key << " " << value_of(each, other);
      if (std::holds_alternative<field::Given>(each.field)) continue;
      Session typed = other;
      assign_value(each, value_of(each, default_session()), typed);
      ASSERT_FALSE(assign_value(each, parse_value(each, value_text(each, other)), typed))
          << each.key << " " << value_text(each, other);
      EXPECT_TRUE(same_setting(each, typed, other)) << each.key << " " << value_text(each, other);
    }
  }
}

TEST(SettingValue, RefusalsSayWhatWouldFitAndChangeNothing) {
  const auto check = [](std::string_view key, const nlohmann::json& value, const std::string& expected) {
    Session session = default_session();
    const auto refused = assign_value(*find_setting(key), value, session);
    ASSERT_TRUE(refused) << key;
    EXPECT_EQ(refused->expected, expected);
    EXPECT_EQ(session, default_session()) << key;
  };
  check("architecture.layers", 0, "a whole number from 1 to 1000");
  check("architecture.layers", 1.5, "a whole number from 1 to 1000");
  check("architecture.d_head", 0, "a whole number from 1 to 65536, or auto");
  check("attention.temperature", "warm", "a number from 0.01 to 100");
  check("attention.softmax", "rows", "one of keys, queries");
  check("attention.scale", "yes", "true or false");
  check("attention.mask_value", std::nan(""), "inf (−∞), 1e9 (−1e9) or a number, such as -10000 or 0");
  check("selection.heads", "0.0,x",
        "none, or LAYER.HEAD separated by commas, such as 0.0,0.1: layers are 0 to 0, heads 0 to 3");
  check("selection.pin", "weights:1.1",
        "none or PATH:ROW.COLUMN, such as encoder.layers.0.self.heads.1.weights:3.5");
}

TEST(SettingValue, LimitsHoldForTheNumberThatIsStored) {
  Session session;
  const Setting& dropout = setting("attention.dropout");
  EXPECT_FALSE(assign_value(dropout, 0.95, session)) << "0.95F is a little less";
  EXPECT_EQ(session.attention.dropout, max_dropout);
  EXPECT_TRUE(assign_value(dropout, 0.951, session));
}

}  // namespace
}  // namespace headscope
