#include <gtest/gtest.h>

#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

Point middle(const Box& box) {
  return {box.x + box.w / 2.0F, box.y + box.h / 2.0F};
}

/// Replaces the number beside a label by typing another one.
void type_number(AppDriver& driver, std::string_view label, const std::string& shown,
                 const std::string& typed) {
  const auto labels = find_text(label);
  ASSERT_FALSE(labels.empty()) << label;
  for (const Box& number : find_text(shown)) {
    if (std::abs(middle(number).y - middle(labels.back()).y) > labels.back().h) continue;
    driver.click(middle(number));
    driver.window().type(typed);
    driver.settle();
    driver.press(Chord{Key::enter});
    return;
  }
  FAIL() << "no " << shown << " beside " << label;
}

TEST(MaskControls, HiddenCellsHoldAnyNumber) {
  AppDriver driver({1280, 1800});
  driver.press(CommandId::toggle_causal);
  driver.open_group("Mask");
  const auto choice = find_text("a number");
  ASSERT_FALSE(choice.empty());
  driver.click(middle(choice.front()));
  EXPECT_EQ(driver.session().attention.mask_value, 0.0F);
  EXPECT_TRUE(screen_contains("is a score like any other"));
  EXPECT_GT(weight(driver.trace(), 0, 0, 10), 0.0F) << "0 hides nothing";
  expect_rows_sum_to_one(driver.trace());

  type_number(driver, "mask value", "0", "−250.5");
  EXPECT_EQ(driver.session().attention.mask_value, -250.5F);
  EXPECT_EQ(driver.trace().value({.kind = StageKind::masked})(0, 10), -250.5F);
  EXPECT_EQ(weight(driver.trace(), 0, 0, 10), 0.0F);
  EXPECT_FALSE(screen_contains("is a score like any other"));

  type_number(driver, "mask value", "−250.5", "nan");
  EXPECT_EQ(driver.session().attention.mask_value, -250.5F) << "no number, no change";
}

}  // namespace
}  // namespace headscope
