// Compares the tokenizers of real models with the ids that were published for them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/tokenizers/characters.h"
#include "core/tokenizers/open_tokenizer.h"
#include "core/tokenizers/sentencepiece_model.h"

namespace headscope {
namespace {

const std::filesystem::path reference = std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference";

/// A tokenizer and the file with its vectors. Each line has a text and its ids.
struct Published {
  const char* tokenizer;
  const char* vectors;
  bool decodes = false;  ///< Whether decoding the ids gives the text again.
};

class PublishedTokenizer : public testing::TestWithParam<Published> {};

TEST_P(PublishedTokenizer, GivesThePublishedIds) {
  const std::filesystem::path path = reference / GetParam().tokenizer;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference data at " << path;
  const auto tokenizer = open_tokenizer(path);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  std::ifstream lines(reference / GetParam().vectors);
  int n_vectors = 0;
  for (std::string line; std::getline(lines, line); ++n_vectors) {
    const auto vector = nlohmann::json::parse(line);
    const std::string text = vector["text"];
    const auto ids = (*tokenizer)->ids(text, vector.value("special", false));
    ASSERT_TRUE(ids) << ids.error().message;
    EXPECT_EQ(*ids, vector["ids"].get<std::vector<int>>()) << text;
    if (!GetParam().decodes) continue;
    EXPECT_EQ((*tokenizer)->decode(*ids).value_or(""), text);
  }
  EXPECT_GT(n_vectors, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, PublishedTokenizer,
    testing::Values(Published{"tokenizers/gpt2", "tokenizers/gpt2_vectors.jsonl"},
                    Published{"tokenizers/gpt2/vocab.json", "tokenizers/gpt2_vectors.jsonl"},
                    Published{"tokenizers/bert-base-uncased", "tokenizers/bert_vectors.jsonl"},
                    Published{"checkpoints/tokenizers/llama2", "checkpoints/tokenizers/llama2/vectors.jsonl"},
                    Published{"checkpoints/tokenizers/qwen2", "checkpoints/tokenizers/qwen2/vectors.jsonl"},
                    Published{"checkpoints/tokenizers/t5", "checkpoints/tokenizers/t5/vectors.jsonl"},
                    Published{"checkpoints/tokenizers/ggml-llama-spm/ggml-vocab-llama-spm.gguf",
                              "checkpoints/tokenizers/ggml-llama-spm/vectors.jsonl", true},
                    Published{"checkpoints/tokenizers/ggml-gpt-2/ggml-vocab-gpt-2.gguf",
                              "checkpoints/tokenizers/ggml-gpt-2/vectors.jsonl", true},
                    Published{"checkpoints/tokenizers/ggml-bert-bge/ggml-vocab-bert-bge.gguf",
                              "checkpoints/tokenizers/ggml-bert-bge/vectors.jsonl"},
                    Published{"checkpoints/tokenizers/ggml-falcon/ggml-vocab-falcon.gguf",
                              "checkpoints/tokenizers/ggml-falcon/vectors.jsonl", true},
                    Published{"checkpoints/tokenizers/ggml-deepseek-coder/ggml-vocab-deepseek-coder.gguf",
                              "checkpoints/tokenizers/ggml-deepseek-coder/vectors.jsonl"}));

class ModelFolder : public testing::TestWithParam<const char*> {};

TEST_P(ModelFolder, OpensWithItsSpecialTokens) {
  const std::filesystem::path path = reference / "checkpoints/models" / GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference data at " << path;
  const auto tokenizer = open_tokenizer(path);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  ASSERT_TRUE((*tokenizer)->special_ids().pad);
  ASSERT_TRUE((*tokenizer)->special_ids().unk);
  const std::string text = "The animal didn't cross the street.";
  const auto tokens = (*tokenizer)->encode(text);
  ASSERT_TRUE(tokens) << tokens.error().message;
  EXPECT_GT(tokens->size(), 5U);
  for (const ModelToken& token : *tokens) {
    EXPECT_LE(token.token.span.end, text.size());
    EXPECT_EQ((*tokenizer)->piece(token.token.id), token.token.lookup);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelFolder, testing::Values("tiny-bert-cls", "tiny-bloom", "tiny-t5"));

/// The vocabulary of llama2.c has spaces instead of ▁.
SentencePieceModel stories_model(const nlohmann::json& list) {
  using Kind = ScoredPiece::Kind;
  SentencePieceModel model;
  model.algorithm = SentencePieceModel::Algorithm::bpe;
  model.falls_back_to_bytes = true;
  model.removes_extra_spaces = false;
  model.escapes_spaces = false;
  for (const auto& entry : list) {
    ScoredPiece piece{entry[0], entry[1], Kind::normal};
    if (model.pieces.size() < 3) piece.kind = model.pieces.empty() ? Kind::unknown : Kind::control;
    if (byte_of_piece(piece.text)) piece.kind = Kind::byte;
    model.pieces.push_back(std::move(piece));
  }
  return model;
}

TEST(StoriesVocabulary, GivesTheIdsOfItsModel) {
  const std::filesystem::path path = reference / "models/stories260K-llama/tok512.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference data at " << path;
  std::ifstream file(path);
  ModelConfiguration configuration;
  configuration.family = "llama";
  configuration.tokens["bos"].content = "\n<s>\n";
  auto parts = sentencepiece_parts(stories_model(nlohmann::json::parse(file)), configuration);
  ASSERT_TRUE(parts) << parts.error().message;
  const ModelTokenizer tokenizer(std::move(*parts));
  for (const char* const name : {"s0", "s1", "s2"}) {
    std::ifstream info(reference / "expected/stories260K-llama" / name / "info.json");
    const auto expected = nlohmann::json::parse(info);
    const auto ids = tokenizer.ids(expected["text"].get<std::string>());
    ASSERT_TRUE(ids) << ids.error().message;
    EXPECT_EQ(*ids, expected["input_ids"].get<std::vector<int>>());
  }
}

}  // namespace
}  // namespace headscope
