#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/session/history.h"
#include "core/session/presets.h"
#include "core/session/settings.h"
#include "tests/unit/session/invariants.h"
#include "tests/unit/session/random_settings.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

Json json_of(const Session& session) {
  return Json::parse(to_json(session));
}

std::string error_of(const Json& json) {
  const Result<Session> session = session_from_json(json.dump());
  return session ? "" : session.error().message;
}

TEST(SessionJson, RoundTripsRandomSessions) {
  RandomSession random(31);
  for (int run = 0; run < 1000; ++run) {
    const Session session = random.session();
    const Result<Session> back = session_from_json(to_json(session));
    ASSERT_TRUE(back.has_value()) << back.error().message;
    ASSERT_EQ(*back, session) << to_json(session);
  }
}

TEST(SessionJson, RoundTripsEverySetting) {
  RandomSettings random(1);
  for (int run = 0; run < 2000; ++run) {
    Session session = random.session();
    ASSERT_TRUE(validate(session.architecture)) << to_json(session);
    const Result<Session> back = session_from_json(to_json(session));
    ASSERT_TRUE(back.has_value()) << back.error().message;
    // Masks are only stored by name, because their numbers stay in their files.
    for (MaskSpec* mask :
         {&session.attention.mask, &session.attention.target_mask, &session.attention.cross_mask})
      mask->loaded.clear();
    for (Subject& compared : session.compared) {
      for (MaskSpec* mask :
           {&compared.attention.mask, &compared.attention.target_mask, &compared.attention.cross_mask})
        mask->loaded.clear();
    }
    ASSERT_EQ(*back, session) << to_json(session);
  }
}

/// Every setting has its own key and its own command-line option, unless it shares them on purpose.
TEST(Settings, HaveKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  std::map<std::string_view, std::string_view> groups;
  for (const Setting& setting : all_settings) {
    const bool is_file = std::holds_alternative<field::MaskFiles>(setting.field);
    EXPECT_TRUE(keys.insert(setting.key).second || is_file) << setting.key;
    EXPECT_FALSE(setting.option.empty()) << setting.key;
    EXPECT_TRUE(setting.option.starts_with("--")) << setting.key;
    EXPECT_FALSE(std::string_view(setting.sentence).empty()) << setting.key;
    EXPECT_FALSE(std::string_view(setting.sentence).ends_with('.')) << setting.key;
    const auto [group, is_new] = groups.emplace(setting.option, setting.group);
    EXPECT_EQ(group->second, setting.group) << setting.option;
    const bool is_shared = shared_option(setting) != nullptr;
    EXPECT_TRUE(is_new || is_shared) << setting.option << " is the option of two settings";
  }
}

TEST(Settings, ADragOfOneIsOneStepOfUndoAndAnotherIsItsOwn) {
  History history(default_session());
  for (const int d_model : {72, 80, 96}) history.apply(set_to("architecture.d_model", d_model), true);
  for (const int n_heads : {2, 8}) history.apply(set_to("architecture.heads", n_heads), true);
  history.undo();
  EXPECT_EQ(history.present().architecture.n_heads, 4);
  EXPECT_EQ(history.present().architecture.d_model, 96);
  history.undo();
  EXPECT_EQ(history.present(), default_session());
}

TEST(SessionJson, RoundTripsEveryPreset) {
  for (const Preset& preset : presets())
    EXPECT_EQ(session_from_json(to_json(preset.session)), preset.session);
}

TEST(SessionJson, HoldsTheWholeSeed) {
  Session session;
  session.architecture.seed = UINT64_MAX;
  EXPECT_EQ(session_from_json(to_json(session))->architecture.seed, UINT64_MAX);
}

TEST(SessionJson, ALoadedMaskStaysOutside) {
  Session session;
  session.attention.mask.loaded = {std::make_shared<LoadedMask>()};
  const Result<Session> back = session_from_json(to_json(session));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, Session{});
}

TEST(SessionJson, InvalidTextDoesNotThrow) {
  Session session;
  session.sentence = "a\xFF\xC3 b";
  EXPECT_EQ(session_from_json(to_json(session))->sentence, "a\uFFFD\uFFFD b");
}

TEST(SessionJson, UnknownNamesAreIgnoredAndMissingOnesKeepTheirDefault) {
  Json json = json_of(Session{});
  json["new"] = {{"deep", 1}};
  json["picture"]["new"] = "x";
  json["selection"].erase("head");
  json.erase("attention");
  EXPECT_EQ(session_from_json(json.dump()), Session{});
  EXPECT_EQ(session_from_json(R"({"version": 1})"), Session{});
}

TEST(SessionJson, TheMaskValueIsANumberOrMinusInfinity) {
  const auto read = [](const Json& value) {
    Json json = json_of(Session{});
    json["attention"]["mask_value"] = value;
    return session_from_json(json.dump());
  };
  EXPECT_EQ(read("inf")->attention.mask_value, MaskValue::minus_infinity);
  EXPECT_EQ(read("1e9")->attention.mask_value, -1e9F);
  EXPECT_EQ(read(-10000)->attention.mask_value, -10000.0F);
  EXPECT_EQ(read(0.25)->attention.mask_value, 0.25F);
  for (const Json& wrong : {Json("-7"), Json(1e300), Json(nullptr), Json(true)}) {
    const auto session = read(wrong);
    ASSERT_FALSE(session) << wrong;
    EXPECT_NE(session.error().message.find("mask_value"), std::string::npos);
  }
}

TEST(SessionJson, WhatIsNoSessionIsAnError) {
  for (const char* text : {"", "null", "[]", "{", "{}", R"({"version": 2})", R"({"version": "1"})",
                           R"({"version": 1e300})", "\xFF\xFE", R"({"version": 1, "sentence": "\ud800"})"})
    EXPECT_FALSE(session_from_json(text).has_value()) << text;
  EXPECT_FALSE(session_from_json(std::string(100000, '[')).has_value());
}

/// Fields that take any text.
bool is_text(const std::string& pointer) {
  return pointer == "/sentence" || pointer == "/target" || pointer == "/task" || pointer == "/output_words" ||
         pointer == "/selection/word" || pointer == "/textbook" || pointer == "/title" ||
         pointer == "/note" || pointer.ends_with("/mean_over") || pointer.starts_with("/batch/") ||
         pointer.ends_with("/separator");
}

/// Each field of a session in turn gets values of a type that does not fit.
TEST(SessionJson, AWrongTypeIsAnErrorThatNamesTheField) {
  Session session = default_session();
  session = reduce(session, toggle_padding(1));
  session = reduce(session, paint_cell({1, 2}, true));
  session = reduce(session, PinCell{{{StageKind::weights}, 1, 2}});
  session = reduce(session, SetBatch{{session.sentence, "another"}});
  const Json flat = json_of(session).flatten();
  int n_fields = 0;
  for (const auto& [pointer, value] : flat.items()) {
    for (const Json& wrong : {Json{{"an", "object"}}, Json(0.5), Json("no such name"), Json(-1e300)}) {
      if (is_text(pointer) && wrong.is_string()) continue;
      Json broken = json_of(session);
      broken[Json::json_pointer(pointer)] = wrong;
      const std::string message = error_of(broken);
      const std::string field = pointer.substr(pointer.rfind('/') + 1);
      const bool takes_reals =
          wrong == 0.5 && (value.is_number() || field == "mask_value") &&
          (field == "mask_value" || field == "temperature" || field == "fixed_low" || field == "fixed_high" ||
           field == "gamma" || field == "line_threshold" || field == "dropout" || field == "top_p" ||
           field == "at_least" || field == "share" || field == "learning_rate" || field == "norm_epsilon" ||
           field == "fraction" || field == "local_base" || field == "score_scale" || field == "softcap" ||
           field == "logit_softcap");
      if (takes_reals) continue;
      EXPECT_NE(message.find(field), std::string::npos) << pointer << " = " << wrong << ": " << message;
    }
    ++n_fields;
  }
  EXPECT_GT(n_fields, 70);
}

TEST(SessionJson, AValueBeyondItsLimitsIsAnErrorThatNamesIt) {
  const auto check = [](const char* pointer, const Json& value, const char* expected) {
    Json json = json_of(Session{});
    json[Json::json_pointer(pointer)] = value;
    EXPECT_NE(error_of(json).find(expected), std::string::npos) << pointer << ": " << error_of(json);
  };
  check("/architecture/d_model", 0, "architecture.d_model is 0, but must be a whole number from 1 to 65536");
  check("/architecture/d_model", 4294967304, "architecture.d_model");
  check("/architecture/heads", 1025, "architecture.heads");
  check("/architecture/d_head", 0, "architecture.d_head");
  check("/architecture/seed", -1, "architecture.seed");
  check("/attention/temperature", 500, "attention.temperature is 500, but must be a number from");
  check("/attention/window", -1, "attention.window");
  check("/attention/padding", {0, 11}, "attention.padding[1] is 11, but must be a whole number from 0 to 10");
  check("/attention/painted", {{0, 1}, {2}}, "attention.painted[1]");
  check("/attention/painted", {{0, -1}}, "attention.painted[0][1]");
  check("/attention/softmax", "rows", "one of keys, queries");
  check("/attention/prefix", -1, "attention.prefix");
  check("/attention/target_mask/padding", {12}, "attention.target_mask.padding[0] is 12");
  check("/attention/cross_mask/painted", {{11, 11}}, "attention.cross_mask.painted[0][1] is 11");
  check("/attention/dropout", 0.96, "attention.dropout is 0.96, but must be a number from 0 to 0.95");
  check("/architecture/layers", 1001,
        "architecture.layers is 1001, but must be a whole number from 1 to 1000");
  check("/architecture/d_ff", 1048577, "architecture.d_ff");
  check("/architecture/stacks", "both", "one of encoder, decoder, encoder-decoder");
  check("/architecture/positions", "rope", "sinusoidal, split, learned, rotary, relative, alibi");
  check("/sequence", 1, "sequence is 1");
  check("/batch", {"a", 2}, "batch[1] is 2, but must be a string");
  check("/sampling/top_p", 1.5, "sampling.top_p");
  check("/sampling/top_k", -1, "sampling.top_k");
  check("/selection/layer", 1, "selection.layer");
  check("/picture/fixed_high", -1, "picture.fixed_high");
  check("/picture/line_threshold", 1.5, "picture.line_threshold");
  check("/selection/head", 4, "selection.head");
  check("/selection/token", 11, "selection.token");
  check("/selection/stage", "encoder.nothing", "selection.stage");
  check("/selection/pin", {{"stage", "encoder.layers.0.self.heads.0.weights"}, {"row", -1}},
        "selection.pin.row is -1");
  Json empty = json_of(Session{});
  empty["sentence"] = "";
  empty["selection"]["token"] = 0;
  EXPECT_NE(error_of(empty).find("selection.token"), std::string::npos);
}

TEST(SessionJson, APinWithoutACellIsGoneAndNothingElse) {
  Session session = default_session();
  session.sentence = "Kept";
  session.view = PageName::words;
  Json json = json_of(session);
  json["selection"]["token"] = nullptr;
  json["selection"]["pin"] = {{"stage", "probabilities"}, {"row", 0}, {"col", 500}};
  const auto read = session_from_json(json.dump());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->sentence, "Kept");
  EXPECT_EQ(read->view, PageName::words);
  EXPECT_FALSE(read->selection.pin);
}

TEST(SessionJson, DamagedTextNeverCrashesAndWhatIsReadIsValid) {
  RandomSession random(32);
  for (int run = 0; run < 3000; ++run) {
    std::string text = to_json(run % 10 == 0 ? random.session() : default_session());
    for (int n = random.whole(1, 4); n > 0; --n) {
      const auto place = static_cast<std::size_t>(random.whole(0, static_cast<int>(text.size()) - 1));
      if (random.coin())
        text[place] = static_cast<char>(random.coin() ? random.whole('0', '9') : random.whole(0, 255));
      else
        text.erase(place, static_cast<std::size_t>(random.whole(1, 5)));
    }
    const Result<Session> session = session_from_json(text);
    if (session)
      expect_invariants(*session);
    else
      ASSERT_FALSE(session.error().message.empty());
  }
}

}  // namespace
}  // namespace headscope
