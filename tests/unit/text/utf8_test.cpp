#include "core/text/utf8.h"

#include <gtest/gtest.h>

#include <random>

namespace headscope {
namespace {

std::string random_bytes(std::mt19937& random, std::size_t max_size) {
  std::string bytes(std::uniform_int_distribution<std::size_t>(0, max_size)(random), '\0');
  for (char& byte : bytes) byte = static_cast<char>(std::uniform_int_distribution<int>(0, 255)(random));
  return bytes;
}

TEST(Utf8, KeepsWellFormedText) {
  const std::string text = "Das Tier — 동물 🙂 \xC3\xA9";
  EXPECT_EQ(valid_utf8(text), text);
}

/// Examples from the Unicode Standard, section 3.9: one U+FFFD replaces each longest part that could begin a
/// character.
TEST(Utf8, ReplacesIllFormedPartsAsTheStandardRecommends) {
  const std::string r = "\uFFFD";
  EXPECT_EQ(valid_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(valid_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(valid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
}

TEST(Utf8, EveryCodePointRoundTrips) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string bytes = to_utf8(c);
    ASSERT_EQ(code_points(bytes), std::vector<char32_t>{c}) << std::hex << static_cast<unsigned>(c);
    ASSERT_EQ(valid_utf8(bytes), bytes);
  }
}

TEST(Utf8, WhatIsNoCodePointBecomesTheReplacement) {
  EXPECT_EQ(to_utf8(0xD800), "\uFFFD");
  EXPECT_EQ(to_utf8(0x110000), "\uFFFD");
  EXPECT_EQ(to_utf8(0xFFFFFFFF), "\uFFFD");
}

TEST(Utf8, AnyBytesBecomeValidOnce) {
  std::mt19937 random(1);
  for (int run = 0; run < 20000; ++run) {
    const std::string bytes = random_bytes(random, 24);
    const std::string valid = valid_utf8(bytes);
    ASSERT_EQ(valid_utf8(valid), valid);
    ASSERT_EQ(code_points(bytes), code_points(valid));
    std::string encoded;
    for (const char32_t c : code_points(valid)) encoded += to_utf8(c);
    ASSERT_EQ(encoded, valid);
  }
}

TEST(Utf8, ShortensByCodePoints) {
  EXPECT_EQ(truncated("attention", 9), "attention");
  EXPECT_EQ(truncated("attention", 8), "attenti…");
  EXPECT_EQ(truncated("동물이었다", 3), "동물…");
  EXPECT_EQ(truncated("ab", 1), "…");
  EXPECT_EQ(truncated("ab", 0), "");
  EXPECT_EQ(truncated("", 0), "");
}

TEST(Utf8, ShortenedNeverExceedsItsLimit) {
  std::mt19937 random(2);
  for (int run = 0; run < 5000; ++run) {
    const std::string text = valid_utf8(random_bytes(random, 24));
    const auto limit = std::uniform_int_distribution<std::size_t>(0, 12)(random);
    const std::string cut = truncated(text, limit);
    ASSERT_LE(code_points(cut).size(), limit);
    ASSERT_EQ(valid_utf8(cut), cut);
    if (code_points(text).size() <= limit) {
      ASSERT_EQ(cut, text);
    }
  }
}

}  // namespace
}  // namespace headscope
