#include "core/palette/glossary.h"

#include <gtest/gtest.h>

#include <string>

#include "core/text/letters.h"

namespace headscope {
namespace {

std::string term_around(std::string_view text, std::string_view word) {
  const Term* const term = term_at(text, text.find(word));
  return term == nullptr ? "" : std::string(term->name);
}

TEST(Glossary, IsInAlphabeticalOrderAndSaysOneSentenceThatFitsOnALine) {
  std::string before;
  for (const Term& term : glossary()) {
    const std::string name = to_lower_case(term.name);
    EXPECT_LT(before, name);
    EXPECT_TRUE(term.meaning.ends_with('.')) << term.name;
    EXPECT_EQ(term.meaning.find(". "), std::string_view::npos) << term.name;
    EXPECT_LE(term.meaning.size(), 115U) << term.name;
    before = name;
  }
}

TEST(Glossary, ATermIsFoundInATextByAnyOfItsWords) {
  EXPECT_EQ(term_around("Softmax turns large scores into all or nothing", "Softmax"), "Softmax");
  EXPECT_EQ(term_around("Softmax turns large scores into all or nothing", "scores"), "Score");
  EXPECT_EQ(term_around("the logit lens of a logit", "logit lens"), "Logit lens") << "the longest";
  EXPECT_EQ(term_around("the logit lens of a logit", "of"), "");
  EXPECT_EQ(term_around("monkeys look ahead", "keys"), "") << "no whole word";
  EXPECT_EQ(term_at("", 0), nullptr);
}

}  // namespace
}  // namespace headscope
