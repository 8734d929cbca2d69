#include "core/text/texts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headscope {
namespace {

using Sentences = std::vector<std::string>;

Texts texts_with(const std::string& sentence, const std::string& target, const Sentences& batch,
                 const Texts& known = {}) {
  return tokenize_texts({sentence, target, batch, TokenizerKind::word}, known);
}

TEST(Texts, HoldTheTokensOfEachText) {
  const Sentences batch{"a b", "c d e f", "a b"};
  const Texts texts = texts_with("a b", "x y z", batch);
  EXPECT_EQ(texts.sentence(), tokenize("a b", TokenizerKind::word));
  EXPECT_EQ(texts.target(), tokenize("x y z", TokenizerKind::word));
  EXPECT_EQ(texts.of_batch(1), tokenize("c d e f", TokenizerKind::word));
  EXPECT_EQ(texts.batch().padded_length, 4U);
  EXPECT_EQ(texts.batch().words.size(), 6U);
}

TEST(Texts, ATextIsTokenisedOnce) {
  const Sentences batch{"one more", "the cat"};
  const Texts before = texts_with("the cat", "le chat", batch);
  EXPECT_EQ(&before.of_batch(1), &before.sentence()) << "the sentence is one of the batch";
  const Texts same = texts_with("the cat", "le chat", batch, before);
  EXPECT_EQ(&same.sentence(), &before.sentence());
  EXPECT_EQ(&same.batch(), &before.batch());
  const Sentences now{"one more", "the cats"};
  const Texts typed = texts_with("the cats", "le chat", now, before);
  EXPECT_EQ(typed.sentence(), tokenize("the cats", TokenizerKind::word));
  EXPECT_EQ(&typed.of_batch(1), &typed.sentence());
  EXPECT_EQ(&typed.target(), &before.target());
  EXPECT_EQ(&typed.of_batch(0), &before.of_batch(0));
}

TEST(Texts, AnotherTokenizerSharesNothing) {
  const std::string sentence = "to be, or";
  const Sentences none;
  const Texts words = texts_with(sentence, sentence, none);
  const InputTexts typed{sentence, sentence, none, TokenizerKind::seed1};
  EXPECT_FALSE(words.match(typed));
  EXPECT_EQ(tokenize_texts(typed, words).sentence(), tokenize(sentence, TokenizerKind::seed1));
}

TEST(Texts, OfNothingAreOfNothing) {
  const Sentences none;
  EXPECT_TRUE(Texts().empty());
  EXPECT_TRUE(Texts().match({"", "", none, TokenizerKind::word}));
  EXPECT_FALSE(texts_with("a", "", none).empty());
}

}  // namespace
}  // namespace headscope
