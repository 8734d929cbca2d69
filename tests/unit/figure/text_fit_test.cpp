#include "core/figure/text_fit.h"

#include <gtest/gtest.h>

#include <random>

#include "core/text/utf8.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

/// Measures a letter as wide as the size, an i as half as wide and a combining mark as 0, and counts the
/// bytes that are measured.
struct CountingMeasure {
  std::size_t bytes = 0;

  MeasureText measure() {
    return [this](std::string_view text, Font /*font*/, float size) {
      bytes += text.size();
      float width = 0.0F;
      for (const char32_t c : code_points(text)) width += c == U'\u0301' ? 0.0F : c == U'i' ? 0.5F : 1.0F;
      return TextSize{width * size, size};
    };
  }
};

/// The longest beginning with "…" that fits, found by trying one letter after the other.
std::string fitted_slowly(const std::string& text, float width, const MeasureText& measure) {
  if (measure(text, Font::sans, 1.0F).width <= width) return text;
  std::string fits;
  for (const LocatedCodePoint& point : located_code_points(text)) {
    const std::string cut = text.substr(0, point.begin) + "…";
    if (measure(cut, Font::sans, 1.0F).width <= width) fits = cut;
  }
  return fits;
}

TEST(FittedText, IsTheLongestBeginningThatFits) {
  std::mt19937 random(1);
  const std::vector<std::string> letters{"a", "i", "é", "한", "😀", "e\u0301"};
  std::uniform_int_distribution<std::size_t> any(0, letters.size() - 1);
  CountingMeasure counting;
  const MeasureText measure = counting.measure();
  for (int length = 0; length < 120; ++length) {
    std::string text;
    for (int i = 0; i < length; ++i) text += letters[any(random)];
    for (const float width : {-1.0F, 0.0F, 0.5F, 1.0F, 2.0F, 17.0F, 40.5F, 100.0F})
      EXPECT_EQ(elided_text(text, width, Font::sans, 1.0F, measure), fitted_slowly(text, width, measure));
  }
}

TEST(FittedText, CostsWhatFitsAndNotTheWholeText) {
  for (const std::string letter : {"W", "i", "한", "😀"}) {
    std::string text;
    while (text.size() < 1'000'000) text += letter;
    CountingMeasure counting;
    const std::string fitting = elided_text(text, 100.0F, Font::sans, 1.0F, counting.measure());
    EXPECT_LT(fitting.size(), 1000U);
    EXPECT_LT(counting.bytes, 20'000U) << letter;
  }
  std::string marks = "e";
  while (marks.size() < 1'000'000) marks += "\u0301";
  CountingMeasure counting;
  EXPECT_LT(elided_text(marks, 100.0F, Font::sans, 1.0F, counting.measure()).size(), 10'000U)
      << "a painter would draw each of them";
}

TEST(TextFit, LettersKeepTheirMarksAndFamiliesTheirMembers) {
  const MeasureText measure = test::uniform_measure();
  const std::string thai = "กี่กี่กี่";
  const std::string family = "👨\u200D👩\u200D👧👨\u200D👩\u200D👧";
  for (float width = 40.0F; width < 120.0F; width += 1.0F) {
    const auto lines = wrapped_lines(thai, width, Font::sans, 10.0F, measure);
    for (const std::string& line : lines) EXPECT_TRUE(line.starts_with("ก")) << width << ": " << line;
    const std::string cut = elided_text(family, width, Font::sans, 10.0F, measure);
    EXPECT_FALSE(cut.ends_with("\u200D…")) << width;
  }
}

}  // namespace
}  // namespace headscope
