#include <gtest/gtest.h>

#include "core/text/letters.h"

namespace headscope {
namespace {

TEST(NeedsShaping, OnlyLettersThatStandBesideEachOtherAreDrawnOneByOne) {
  for (const char* text : {"", "The animal didn’t", "größer", "Ελληνικά ὦ", "Ёж", "√d_k → −0.995", "ᵀᵢⱼ₀",
                           "✓ ▾ ␣", "\uFFFD", "\xFF\xFE", "\t\n\x01"}) {
    EXPECT_FALSE(needs_shaping(text)) << text;
  }
  for (const char* text : {"بيت", "שלום", "क्षि", "กี่", "안녕", "日本", "e\u0301", "😀", "✅", "❤\uFE0F",
                           "a\u200Bb", "\U0001D400", "all Latin but for a letter at the end: ا"}) {
    EXPECT_TRUE(needs_shaping(text)) << text;
  }
}

TEST(IsRightToLeft, TheFirstLetterWithADirectionDecides) {
  EXPECT_TRUE(is_right_to_left("بيت house"));
  EXPECT_TRUE(is_right_to_left("(12 שלום"));
  EXPECT_FALSE(is_right_to_left("house بيت"));
  EXPECT_FALSE(is_right_to_left("12 …"));
  EXPECT_FALSE(is_right_to_left(""));
  EXPECT_FALSE(is_right_to_left("“בית” is a house")) << "a sentence about a word";
  EXPECT_FALSE(is_right_to_left("\u2067בית\u2069 is a house"));
  EXPECT_TRUE(is_right_to_left("” בית"));
}

TEST(WithIsolatedQuotes, OnlyTextWithLettersFromTheRightChanges) {
  EXPECT_EQ(with_isolated_quotes("“it” → “animal”"), "“it” → “animal”");
  EXPECT_EQ(with_isolated_quotes("“בית” → “it”"), "“\u2068בית\u2069” → “\u2068it\u2069”");
}

TEST(IsEmoji, SignsThatAreTextByDefaultAreNone) {
  for (const char32_t c : {U'😀', U'✅', U'⌚', U'🇩', U'🏽'})
    EXPECT_TRUE(is_emoji(c)) << static_cast<unsigned>(c);
  for (const char32_t c : {U'a', U'1', U'✓', U'❤', U'→', U'字', U'𝐀'})
    EXPECT_FALSE(is_emoji(c)) << static_cast<unsigned>(c);
}

TEST(WritesWithoutSpaces, KoreanAndDevanagariHaveSpaces) {
  for (const char32_t c : {U'字', U'か', U'カ', U'ก', U'ລ', U'ཀ', U'မ', U'ក', U'𠀀'})
    EXPECT_TRUE(writes_without_spaces(c)) << static_cast<unsigned>(c);
  for (const char32_t c : {U'a', U'한', U'क', U'ب', U'。', U'1'})
    EXPECT_FALSE(writes_without_spaces(c)) << static_cast<unsigned>(c);
}

}  // namespace
}  // namespace headscope
