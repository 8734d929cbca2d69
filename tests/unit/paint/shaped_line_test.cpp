#include "core/paint/native/shaped_line.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <random>

#include "core/text/letters.h"
#include "core/text/utf8.h"
#include "tests/unit/figure/figure_helpers.h"
#include "tests/unit/instrumented.h"

namespace headscope {
namespace {

class ShapedText : public testing::Test {
 protected:
  void SetUp() override {
    fonts_ = test::installed_fonts();
    ASSERT_TRUE(fonts_);
  }
  bool has(char32_t letter) const { return fonts_->face_with(letter, Font::sans) != nullptr; }
  ShapedLine line(std::string_view text, Font font = Font::sans) const {
    return shaped_line(text, font, *fonts_);
  }
  double width(std::string_view text) const { return fonts_->line_size(text, Font::sans, 1.0F).width; }

  std::shared_ptr<FontFaces> fonts_;
};

TEST_F(ShapedText, ArabicLettersJoinAndRunFromTheRight) {
  EXPECT_LT(width("بيت"), 0.9 * (width("ب") + width("ي") + width("ت"))) << "alone, letters are wider";
  const ShapedLine word = line("بيت");
  ASSERT_EQ(word.runs.size(), 1U);
  EXPECT_TRUE(word.runs[0].is_backward);
  EXPECT_EQ(word.runs[0].text, "بيت") << "the text stays in the order of reading";
  EXPECT_EQ(word.runs[0].clusters.size(), 3U);
  const ShapedLine lam_alef = line("لا");
  EXPECT_EQ(lam_alef.runs.at(0).clusters.size(), 1U) << "two letters, one glyph";
}

TEST_F(ShapedText, PartsStandInTheOrderOfTheBidirectionalAlgorithm) {
  const auto order = [&](std::string_view text) {
    std::string shown;
    for (const GlyphRun& run : line(text).runs) shown += (shown.empty() ? "" : "|") + run.text;
    return shown;
  };
  EXPECT_EQ(order("a שלום b").substr(0, 1), "a");
  EXPECT_EQ(order("a שלום b").back(), 'b');
  const std::string hebrew_first = order("שלום abc");
  EXPECT_TRUE(hebrew_first.starts_with("abc")) << hebrew_first;
  EXPECT_TRUE(hebrew_first.ends_with("שלום")) << hebrew_first;
  const std::string with_number = order("שלום 12");
  EXPECT_TRUE(with_number.starts_with("12")) << "digits keep their own order: " << with_number;
  const std::string about = order("“שלום” → “עולם”");
  EXPECT_LT(about.find("שלום"), about.find("→")) << "the arrow leads from the first word: " << about;
  EXPECT_LT(about.find("→"), about.find("עולם")) << about;
}

TEST_F(ShapedText, LineEndsAndTabsAreSpaces) {
  EXPECT_EQ(width("بيت\nبيت\t"), width("بيت بيت "));
  const ShapedLine line_after = line("a\n\u202Eשbc");
  EXPECT_TRUE(line_after.runs.back().is_backward) << "what follows belongs to the same line";
}

TEST_F(ShapedText, GlyphsStandWhereTheLineGoes) {
  for (const char* text : {"a בית b", "بيت 12 بيت", "안녕", "e\u0301"}) {
    double right = 0.0;
    const ShapedLine shaped = line(text);
    for (const GlyphRun& run : shaped.runs) {
      for (const PlacedGlyph& glyph : run.glyphs) {
        EXPECT_GE(glyph.x, right - 1.0) << text;
        right = std::max(right, glyph.x);
      }
    }
    EXPECT_LT(right, shaped.width + 0.01) << text;
    EXPECT_EQ(shaped.width, width(text)) << "measured as drawn";
  }
}

TEST_F(ShapedText, DevanagariFormsSyllables) {
  if (!has(U'क')) GTEST_SKIP() << "no font with Devanagari is installed";
  const ShapedLine syllable = line("क्षि");
  ASSERT_EQ(syllable.runs.size(), 1U);
  EXPECT_EQ(syllable.runs[0].clusters.size(), 1U) << "four code points";
  EXPECT_LT(syllable.width, width("क") + width("ष") + width("ि"));
}

TEST_F(ShapedText, ThaiMarksTakeNoRoom) {
  if (!has(U'ก')) GTEST_SKIP() << "no font with Thai is installed";
  EXPECT_NEAR(width("กี่"), width("ก"), 1e-6);
}

TEST_F(ShapedText, AFamilyOfEmojiIsOnePicture) {
  const FontFace* face = fonts_->face_with(U'👨', Font::sans, true);
  if (face == nullptr || !face->is_colored()) GTEST_SKIP() << "no font with coloured emoji is installed";
  for (const char* text : {"👨\u200D👩\u200D👧", "👍🏽", "🇩🇪", "❤\uFE0F", "1\uFE0F\u20E3"}) {
    const ShapedLine family = line(text);
    ASSERT_EQ(family.runs.size(), 1U) << text;
    EXPECT_TRUE(family.runs[0].face->is_colored()) << text;
    EXPECT_EQ(family.runs[0].clusters.size(), 1U) << text;
    EXPECT_NEAR(family.width, width("👨"), 1e-6) << text;
  }
  const ShapedLine heart = line("❤\uFE0E");
  EXPECT_FALSE(heart.runs.at(0).face->is_colored()) << "asked for as text";
}

TEST_F(ShapedText, LatinIsAsWideAsWhereNothingIsShaped) {
  const std::string latin = "The fi ff -> AV To.";
  EXPECT_NEAR(width(latin + "안"), width(latin) + width("안"), 1e-5);
}

TEST_F(ShapedText, EveryByteAndGlyphBelongsToOneCluster) {
  std::mt19937 generator(7);
  std::uniform_int_distribution<std::size_t> length(1, 30);
  std::uniform_int_distribution<int> block(0, 11);
  constexpr std::array<char32_t, 12> blocks{0x20,   0x590,  0x620,  0x900,   0xE00,   0x1000,
                                            0x1780, 0x2000, 0xFE00, 0x1F1E0, 0x1F600, 0xE0000};
  std::uniform_int_distribution<char32_t> within(0, 0x7F);
  for (int trial = 0; trial < 500; ++trial) {
    std::string text;
    for (std::size_t n = length(generator); n > 0; --n)
      text += to_utf8(blocks[static_cast<std::size_t>(block(generator))] + within(generator));
    const ShapedLine shaped = line(text);
    std::size_t n_letters = 0;
    for (const GlyphRun& run : shaped.runs) {
      int bytes = 0, glyphs = 0;
      for (const GlyphCluster& cluster : run.clusters) {
        EXPECT_GT(cluster.n_bytes, 0) << text;
        bytes += cluster.n_bytes;
        glyphs += cluster.n_glyphs;
      }
      EXPECT_EQ(bytes, static_cast<int>(run.text.size())) << text;
      EXPECT_EQ(glyphs, static_cast<int>(run.glyphs.size())) << text;
      n_letters += code_points(run.text).size();
    }
    EXPECT_EQ(n_letters, code_points(with_isolated_quotes(text)).size()) << text;
    EXPECT_TRUE(std::isfinite(shaped.width) && shaped.width >= 0.0) << text;
  }
}

TEST_F(ShapedText, HostileTextsTakeTimeInProportionToTheirLength) {
  const auto repeated = [](std::string_view part, std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += part;
    return text;
  };
  constexpr double longest = is_instrumented ? 60.0 : 5.0;  // in seconds; quadratic time would take minutes
  for (const std::string& text :
       {repeated("بيت ", 140'000), "a" + repeated("\u0301", 100'000), repeated("\U000E0FFF\u0378", 50'000),
        repeated("\xED\xA0\x80", 50'000) + "ا", repeated("\u202B(\u2067", 50'000),
        repeated("👨\u200D", 50'000), repeated("aب1", 100'000)}) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(std::isfinite(line(text).width));
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), longest)
        << text.substr(0, 20);
  }
}

}  // namespace
}  // namespace headscope
