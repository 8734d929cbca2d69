#include "core/tokenizers/sentence_tokenizer.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/tokenizers/open_tokenizer.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

TEST(SentenceTokenizer, ReadsSentencesForAModel) {
  const TemporaryFolder folder;
  std::ofstream(folder / "vocab.txt") << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nplay\n";
  std::ofstream(folder / "config.json") << R"({"model_type": "bert"})";
  const auto opened = open_tokenizer(folder / "");
  ASSERT_TRUE(opened) << opened.error().message;
  const auto reader = sentence_tokenizer(*opened);
  EXPECT_TRUE(reader->tokenize("").empty());
  const std::vector<Token> tokens = reader->tokenize("play");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[1].id, 5);
  EXPECT_TRUE(tokens[2].is_special);
  const Vocabulary vocabulary = vocabulary_of(**opened, 8);
  EXPECT_EQ(vocabulary.size(), 8) << "the model's table may have more rows";
  EXPECT_EQ(vocabulary.word(5), "play");
  EXPECT_EQ(vocabulary.word(7), "[7]");
}

}  // namespace
}  // namespace headscope
