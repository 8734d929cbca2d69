#include "core/text/choices.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

using Sentences = std::vector<std::string>;

TEST(Choices, AreASentenceEach) {
  EXPECT_EQ(expand_alternatives("it was too {tired|wide}"),
            (Sentences{"it was too tired", "it was too wide"}));
  EXPECT_EQ(expand_alternatives("{a|b|c} d"), (Sentences{"a d", "b d", "c d"}));
  EXPECT_EQ(expand_alternatives("too {|very }wide"), (Sentences{"too wide", "too very wide"}));
}

TEST(Choices, OfTheSameNumberGoTogether) {
  EXPECT_EQ(expand_alternatives("{he|she} lost {his|her} key"),
            (Sentences{"he lost his key", "she lost her key"}));
  EXPECT_EQ(expand_alternatives("a} {x|y}"), (Sentences{"a} x", "a} y"}));
  EXPECT_EQ(expand_alternatives("{a|b} {c} {d|e}"), (Sentences{"a {c} d", "b {c} e"}));
}

/// Every alternative becomes a separate sentence, which would take quadratic space if their number were not
/// limited.
TEST(Choices, MoreThanAreWantedAreNone) {
  EXPECT_EQ(expand_alternatives("{a|b|c} d", 2), Sentences{"{a|b|c} d"});
  const std::string bars = "{" + std::string(200'000, '|') + "}" + std::string(200'000, 'x');
  EXPECT_EQ(expand_alternatives(bars, 4), Sentences{bars});
}

TEST(Choices, WhatIsNoneStaysAsItIs) {
  for (const char* text : {"", "no choice", "{", "}", "{}", "{a}", "a | b", "{a|b", "a|b}", "{a|b} {c|d|e}"})
    EXPECT_EQ(expand_alternatives(text), Sentences{text});
}

}  // namespace
}  // namespace headscope
