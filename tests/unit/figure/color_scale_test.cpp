#include "core/figure/color_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/figure/tick_text.h"
#include "core/text/number_text.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr std::array transfers{Transfer::linear, Transfer::logarithmic, Transfer::gamma};
constexpr std::array ranges{RangeMode::row, RangeMode::map, RangeMode::all_heads, RangeMode::fixed};

TEST(ColorScale, SignedScalesAreSymmetricAboutZero) {
  std::mt19937 generator(1);
  for (int round = 0; round < 20; ++round) {
    const OwnedMatrix matrix = test::random_matrix(4, 5, generator, -3.0F, 1.0F);
    for (const Transfer transfer : transfers) {
      for (const RangeMode range : ranges) {
        PictureOptions options;
        options.transfer = transfer;
        options.range = range;
        const ColorScale scale(options, true, matrix.view());
        EXPECT_EQ(scale.share(0.0F, 2), 0.5F);
        for (const float value : matrix.values) {
          EXPECT_NEAR(*scale.share(value, 2) + *scale.share(-value, 2), 1.0F, 1e-6F);
        }
      }
    }
  }
}

TEST(ColorScale, NoRangeReachesToHiddenScores) {
  OwnedMatrix matrix(2, 2);
  matrix.values = {-1e9F, 1.5F, -2.0F, -1e9F + 64.0F};
  for (const RangeMode range : {RangeMode::map, RangeMode::all_heads}) {
    PictureOptions options;
    options.range = range;
    constexpr bool is_signed = true;
    const ColorScale scale(options, is_signed, matrix.view(), hidden_magnitude);
    EXPECT_EQ(scale.high(), 2.0);
    EXPECT_EQ(scale.share(-1e9F), 0.0F) << "at the bar's end";
  }
}

TEST(ColorScale, GreaterValuesStandHigher) {
  std::mt19937 generator(2);
  for (int round = 0; round < 20; ++round) {
    OwnedMatrix matrix = test::random_matrix(1, 60, generator, round % 2 == 0 ? 0.0F : -5.0F, 5.0F);
    std::sort(matrix.values.begin(), matrix.values.end());
    for (const Transfer transfer : transfers) {
      PictureOptions options;
      options.transfer = transfer;
      const ColorScale scale(options, round % 2 != 0, matrix.view());
      for (std::size_t i = 1; i < matrix.values.size(); ++i) {
        EXPECT_LE(*scale.share(matrix.values[i - 1]), *scale.share(matrix.values[i]));
      }
    }
  }
}

TEST(ColorScale, TicksTellTheValuesAtTheirPlaces) {
  OwnedMatrix matrix(1, 2);
  matrix.values = {0.25F, 0.8F};
  for (const bool is_signed : {false, true}) {
    for (const Transfer transfer : transfers) {
      PictureOptions options;
      options.transfer = transfer;
      const ColorScale scale(options, is_signed, matrix.view());
      const auto ticks = scale.ticks();
      ASSERT_GE(ticks.size(), 3U);
      EXPECT_LE(ticks.back().value, 0.8 + 1e-6);
      EXPECT_EQ(ticks.front().value < 0.0, is_signed);
      EXPECT_TRUE(std::ranges::is_sorted(ticks, {}, &ColorScale::Tick::share));
      for (const ColorScale::Tick& tick : ticks) {
        EXPECT_NEAR(*scale.share(static_cast<float>(tick.value)), tick.share, 1e-4F) << tick.text;
        EXPECT_FALSE(tick.text.empty());
      }
    }
  }
}

std::vector<std::string> tick_texts(float high, bool is_signed, PictureOptions options = {}) {
  OwnedMatrix matrix(1, 1);
  matrix.values = {high};
  std::vector<std::string> texts;
  for (const ColorScale::Tick& tick : ColorScale(options, is_signed, matrix.view()).ticks())
    texts.push_back(tick.text);
  return texts;
}

TEST(ColorScale, TicksAreRoundNumbers) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(tick_texts(0.9999F, false), (Texts{"0", "0.25", "0.5", "0.75"}));
  EXPECT_EQ(tick_texts(1.0F, false), (Texts{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(tick_texts(7.47F, true), (Texts{"−5", "−2.5", "0", "2.5", "5"}));
  EXPECT_EQ(tick_texts(46.8F, true), (Texts{"−40", "−20", "0", "20", "40"}));
  EXPECT_EQ(tick_texts(3.3e-7F, false), (Texts{"0", "1e−7", "2e−7", "3e−7"}));
  EXPECT_EQ(tick_texts(0.0F, true), (Texts{"0"}));
  PictureOptions options;
  options.transfer = Transfer::logarithmic;
  EXPECT_EQ(tick_texts(1.0F, false, options), (Texts{"≤0.0001", "0.001", "0.01", "0.1", "1"}));
  options = {};
  options.range = RangeMode::fixed;
  options.fixed_low = 1000.1;
  options.fixed_high = 1000.2;
  EXPECT_EQ(tick_texts(1.0F, false, options).front(), "1000.1");
  options.transfer = Transfer::logarithmic;
  for (const double high : {0.0, -1.0}) {
    options.fixed_low = -2.0;
    options.fixed_high = high;
    EXPECT_LE(tick_texts(1.0F, false, options).size(), 2U) << "no power of ten is in the range";
  }
  options.transfer = Transfer::linear;
  options.range = RangeMode::row;
  EXPECT_EQ(tick_texts(0.3F, false, options), (Texts{"0", "25 %", "50 %", "75 %", "max"}));
}

TEST(ColorScale, ValuesThatAreNotNumbersHaveNoColour) {
  OwnedMatrix matrix(2, 2);
  matrix.values = {-infinity, 1.0F, nan_value, 2.0F};
  for (const RangeMode range : ranges) {
    PictureOptions options;
    options.range = range;
    const ColorScale scale(options, true, matrix.view());
    EXPECT_FALSE(scale.color(-infinity, 0));
    EXPECT_FALSE(scale.color(infinity, 0));
    EXPECT_FALSE(scale.color(nan_value, 1));
    EXPECT_TRUE(scale.color(1.0F, 0));
  }
  EXPECT_EQ(ColorScale({}, true, matrix.view()).high(), 2.0);
}

TEST(ColorScale, EmptyAndConstantMatricesHaveColours) {
  const OwnedMatrix zeros(3, 3);
  OwnedMatrix hidden(1, 1);
  hidden.values = {-infinity};
  for (const bool is_signed : {false, true}) {
    for (const Transfer transfer : transfers) {
      PictureOptions options;
      options.transfer = transfer;
      for (const OwnedMatrix& matrix : {zeros, hidden, OwnedMatrix()}) {
        const ColorScale scale(options, is_signed, matrix.view());
        EXPECT_EQ(scale.share(0.0F), is_signed ? 0.5F : 0.0F);
        for (const ColorScale::Tick& tick : scale.ticks()) EXPECT_TRUE(std::isfinite(tick.value));
      }
    }
  }
}

TEST(ColorScale, RangesAreTakenWhereTheOptionsSay) {
  OwnedMatrix one(2, 1);
  one.values = {0.2F, 0.4F};
  constexpr double given_high = 0.8;
  PictureOptions options;
  EXPECT_FLOAT_EQ(*ColorScale(options, false, one.view()).share(0.4F), 1.0F);
  options.range = RangeMode::all_heads;
  EXPECT_FLOAT_EQ(*ColorScale(options, false, given_high).share(0.4F), 0.5F);
  options.range = RangeMode::row;
  EXPECT_FLOAT_EQ(*ColorScale(options, false, one.view()).share(0.1F, 0), 0.5F);
  EXPECT_FLOAT_EQ(*ColorScale(options, false, one.view()).share(0.1F, 1), 0.25F);
  options.range = RangeMode::fixed;
  options.fixed_low = 0.2;
  options.fixed_high = 0.6;
  const ColorScale fixed(options, false, one.view());
  EXPECT_FLOAT_EQ(*fixed.share(0.4F), 0.5F);
  EXPECT_EQ(fixed.share(0.1F), 0.0F);
  EXPECT_EQ(fixed.share(9.0F), 1.0F);
  EXPECT_EQ(fixed.ticks().front().text, "0.2");
}

TEST(ColorScale, LabelsSayWhatWasDone) {
  const OwnedMatrix matrix(1, 1);
  PictureOptions options;
  EXPECT_EQ(ColorScale(options, false, matrix.view()).label(), "per map, linear");
  options.range = RangeMode::row;
  options.transfer = Transfer::gamma;
  EXPECT_EQ(ColorScale(options, false, matrix.view()).label(), "per row, γ 0.5");
  options.range = RangeMode::all_heads;
  options.transfer = Transfer::logarithmic;
  EXPECT_NE(ColorScale(options, true, matrix.view()).label().find("symmetric log"), std::string::npos);
}

TEST(RoundedText, PrintsWhatIsTrue) {
  EXPECT_EQ(rounded_text(0.0F), "0");
  EXPECT_EQ(rounded_text(1.0F), "1");
  EXPECT_EQ(rounded_text(-1.0F), "−1");
  EXPECT_EQ(rounded_text(-0.0F), "0");
  EXPECT_EQ(rounded_text(0.12F), "0.120");
  EXPECT_EQ(rounded_text(0.004F), "0.004");
  EXPECT_EQ(rounded_text(1e-30F), "≈0");
  EXPECT_EQ(rounded_text(-0.0004F), "≈0");
  EXPECT_EQ(rounded_text(0.9954F), "0.995");
  EXPECT_EQ(rounded_text(0.99999F), "≈1");
  EXPECT_EQ(rounded_text(-0.99999F), "≈−1");
  EXPECT_EQ(rounded_text(-3.42F), "−3.420");
  EXPECT_EQ(rounded_text(9.951F), "9.951");
  EXPECT_EQ(rounded_text(9.996F), "9.996");
  EXPECT_EQ(rounded_text(49.79F), "49.79");
  EXPECT_EQ(rounded_text(123.4F), "123.4");
  EXPECT_EQ(rounded_text(9.9996F), "10.00");
  EXPECT_EQ(rounded_text(12345.6F), "12346");
  EXPECT_EQ(rounded_text(-1e9F), "−1e9");
  EXPECT_EQ(rounded_text(-infinity), "−∞");
  EXPECT_EQ(rounded_text(nan_value), "NaN");
}

TEST(RoundedText, HasTwoDigitsInNarrowCells) {
  constexpr CellDigits two = CellDigits::two;
  EXPECT_EQ(rounded_text(0.0F, two), "0");
  EXPECT_EQ(rounded_text(1.0F, two), "1");
  EXPECT_EQ(rounded_text(0.12F, two), ".12");
  EXPECT_EQ(rounded_text(0.004F, two), "≈0");
  EXPECT_EQ(rounded_text(0.9954F, two), ".995") << "never 1 for less";
  EXPECT_EQ(rounded_text(1.04F, two), "1.04");
  EXPECT_EQ(rounded_text(-3.42F, two), "−3.42");
  EXPECT_EQ(rounded_text(9.951F, two), "9.95");
  EXPECT_EQ(rounded_text(123.4F, two), "123");
}

TEST(RoundedText, IsShortAndNeverRoundsToZeroOrOne) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> exponent(-12.0F, 12.0F);
  for (int i = 0; i < 5000; ++i) {
    const float value = (i % 2 == 0 ? 1.0F : -1.0F) * std::pow(10.0F, exponent(generator));
    const std::string text = rounded_text(value);
    EXPECT_NE(text, "0");
    EXPECT_TRUE(text != "1" || value == 1.0F) << value;
    EXPECT_LE(test::uniform_measure()(text, Font::mono, 10.0F).width, 6.0F * 6.01F) << text;
    EXPECT_NE(tick_text(value), "0");
    EXPECT_TRUE(tick_text(value) != "1" || value >= 1.0F) << value;
  }
}

TEST(CellText, Ticks) {
  EXPECT_EQ(tick_text(0.5), "0.5");
  EXPECT_EQ(tick_text(-4.214), "−4.21");
  EXPECT_EQ(tick_text(39.81), "39.8");
  EXPECT_EQ(tick_text(12345.0), "12345");
  EXPECT_EQ(tick_text(1e-9), "1e−9");
  EXPECT_EQ(tick_text(2e6), "2e6");
}

TEST(ColorScale, ARangeOfAFewRoundingErrorsHasFewTicks) {
  PictureOptions options;
  options.range = RangeMode::fixed;
  options.fixed_low = 1.0;
  options.fixed_high = std::nextafter(1.0, 2.0);
  const OwnedMatrix matrix(1, 1);
  for (const bool is_signed : {false, true}) {
    const std::size_t n = ColorScale(options, is_signed, matrix.view()).ticks().size();
    EXPECT_GE(n, 1U);
    EXPECT_LE(n, 33U);
  }
}

}  // namespace
}  // namespace headscope
