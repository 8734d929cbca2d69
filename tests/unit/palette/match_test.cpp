#include "core/palette/match.h"

#include <gtest/gtest.h>

#include <string>

namespace headscope {
namespace {

/// The name with "[" and "]" around each run of letters that a query marks, or "-" if it does not match.
std::string marked(std::string_view query, std::string_view name) {
  const auto found = match(query, name);
  if (!found) return "-";
  std::string said;
  std::size_t at = 0;
  for (const TextSpan& span : found->marked) {
    said += std::string(name.substr(at, span.begin - at)) + "[" +
            std::string(name.substr(span.begin, span.end - span.begin)) + "]";
    at = span.end;
  }
  return said + std::string(name.substr(at));
}

double score(std::string_view query, std::string_view name, std::string_view keywords = {}) {
  const auto found = match(query, name, keywords);
  return found ? found->score : -1000.0;
}

TEST(Match, MarksTheLettersThatAnswer) {
  EXPECT_EQ(marked("cau", "Causal mask"), "[Cau]sal mask");
  EXPECT_EQ(marked("mask c", "Causal mask"), "[C]ausal [mask]");
  EXPECT_EQ(marked("cm", "Causal mask"), "[C]ausal [m]ask");
  EXPECT_EQ(marked("usa", "Causal mask"), "Ca[usa]l mask");
  EXPECT_EQ(marked("cskm", "Causal mask"), "-") << "letters in another order";
  EXPECT_EQ(marked("csal", "Causal mask"), "[C]au[sal] mask") << "a word without some of its letters";
  EXPECT_EQ(marked("clsk", "Causal mask"), "-") << "letters of several words";
  EXPECT_EQ(marked("cal", "Compositionality"), "-") << "too few of its letters";
  EXPECT_EQ(marked("x", "Causal mask"), "-");
  EXPECT_EQ(marked("", "Causal mask"), "Causal mask");
}

TEST(Match, AsksForEveryWord) {
  EXPECT_FALSE(match("causal prefix", "Causal mask"));
  EXPECT_TRUE(match("causal prefix", "Causal mask", "a prefix of the sentence"));
}

TEST(Match, ForgetsTheCaseOfEveryScript) {
  EXPECT_EQ(marked("ÉTU", "je suis étudiant"), "je suis [étu]diant");
  EXPECT_EQ(marked("ΛΌΓΟΣ", "λόγος"), "[λόγος]");
}

TEST(Match, BeginningsOfWordsComeBeforeWhatIsWithinThem) {
  EXPECT_GT(score("head", "Head"), score("head", "Heads"));
  EXPECT_GT(score("head", "Heads"), score("head", "Next head of all"));
  EXPECT_GT(score("head", "Next heading"), score("ead", "Next heading"));
  EXPECT_GT(score("ead", "Next heading"), score("hdg", "Next heading"));
  EXPECT_GT(score("nh", "Next heading"), score("eh", "Next heading"));
}

TEST(Match, OtherWordsFindItToo) {
  EXPECT_TRUE(match("1.2", "Layer 1, head 2", "1.2"));
  EXPECT_GT(score("1.2", "Layer 1, head 2", "1.2"), score("1.2", "Layer 1, head 20", "1.20"));
  EXPECT_GT(score("causal", "Causal mask"), score("causal", "Prefix", "causality"));
  EXPECT_GT(score("sort", "order of the heads", "--sort-heads"), score("sort", "resorted"))
      << "the beginning of a word";
  EXPECT_FALSE(match("ask", "Prefix", "mask")) << "within a word that is not shown, nobody sees why";
}

TEST(Match, TakesAnyBytes) {
  EXPECT_FALSE(match("\xff\xfe", "Causal mask"));
  EXPECT_TRUE(match("c", "c\xff"));
  EXPECT_TRUE(match("  \t ", "Causal mask")) << "no word at all";
}

}  // namespace
}  // namespace headscope
