#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "core/tensor/random.h"
#include "core/tokenizers/open_tokenizer.h"
#include "core/tokenizers/sentencepiece_model.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

const std::string story =
    "Once there was a hen. The hen didn't find the corn, so the hen asked 12 geese: \"Where's the corn?\"\n\n"
    "Once more the hen asked the goose; the goose said “étage”, the hen said “étage” too. 猫 and 猫 ran.";

SentencePieceModel trained(PieceKind kind, int n_pieces = 2 * first_text_piece) {
  const auto model = train_pieces({story, story}, kind, n_pieces).finish();
  EXPECT_TRUE(model) << model.error().message;
  return *model;
}

class PieceTraining : public testing::TestWithParam<PieceKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, PieceTraining,
                         testing::Values(PieceKind::byte_pairs, PieceKind::whole_words));

/// Texts of the story's words, of its letters in any order, and of any characters.
std::vector<std::string> some_texts() {
  std::vector<std::string> texts{"",           " ",    "  the hen", "the hen ", "\n",
                                 "hen\n\nhen", "12 3", "¡猫! \t 😀", story};
  RandomStream random(3);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (std::size_t n = draw_below(random, 40); n > 0; --n) {
      const std::size_t at = draw_below(random, story.size());
      const std::size_t length = draw_below(random, 12);
      text += story.substr(at, length);
      if (draw_chance(random, 0.3)) text += ' ';
    }
    // Cut characters would be read as U+FFFD by both.
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST_P(PieceTraining, BothFilesGiveTheSameIdsAndTheTextBack) {
  const SentencePieceModel model = trained(GetParam());
  const TemporaryFolder folder;
  const std::filesystem::path json_folder = folder / "json", model_folder = folder / "model";
  for (const auto& each : {json_folder, model_folder}) {
    std::filesystem::create_directories(each);
    std::ofstream(each / "tokenizer_config.json") << R"({"tokenizer_class": "LlamaTokenizer"})";
  }
  std::ofstream(json_folder / "tokenizer.json") << tokenizer_json_file(model);
  std::ofstream(model_folder / "tokenizer.model", std::ios::binary) << sentencepiece_file(model);
  const auto of_json = open_tokenizer(json_folder);
  const auto of_model = open_tokenizer(model_folder);
  ASSERT_TRUE(of_json) << of_json.error().message;
  ASSERT_TRUE(of_model) << of_model.error().message;
  for (const std::string& text : some_texts()) {
    const auto ids = (*of_json)->ids(text);
    ASSERT_TRUE(ids) << text;
    ASSERT_EQ(ids->front(), begin_piece);
    EXPECT_EQ(*ids, *(*of_model)->ids(text)) << text;
    const std::string back = *(*of_json)->decode(*ids, true);
    if (text.find("\xEF\xBF\xBD") == std::string::npos) {
      EXPECT_EQ(back, *(*of_model)->decode(*ids, true)) << text;
    }
  }
  EXPECT_EQ(*(*of_json)->decode(*(*of_json)->ids(story), true), story);
}

TEST_P(PieceTraining, TheSameTextGivesTheSamePieces) {
  EXPECT_EQ(sentencepiece_file(trained(GetParam())), sentencepiece_file(trained(GetParam())));
}

TEST_P(PieceTraining, PiecesAreDifferentAndNoMoreThanAsked) {
  for (const int n : {2 * first_text_piece, 600, 5000}) {
    const SentencePieceModel model = trained(GetParam(), n);
    EXPECT_LE(model.pieces.size(), static_cast<std::size_t>(n));
    std::set<std::string> texts;
    for (const ScoredPiece& piece : model.pieces) texts.insert(piece.text);
    EXPECT_EQ(texts.size(), model.pieces.size());
  }
}

TEST(PieceTraining, AFrequentWordIsOnePiece) {
  std::set<std::string> texts;
  for (const ScoredPiece& piece : trained(PieceKind::byte_pairs).pieces) texts.insert(piece.text);
  EXPECT_TRUE(texts.contains("▁hen"));
  EXPECT_TRUE(texts.contains("▁the"));
  EXPECT_TRUE(texts.contains("▁goose"));
  for (const std::string& text : texts) {
    if (text.starts_with("<0x")) continue;
    EXPECT_EQ(text.find("12"), std::string::npos) << text << " joins digits";
    EXPECT_EQ(text.find("n."), std::string::npos) << text << " joins letters and a full stop";
  }
}

TEST(PieceTraining, OneLetterRepeatedIsLearned) {
  const std::string text(10'000, 'a');
  const auto model = train_pieces({text}, PieceKind::byte_pairs, 600).finish();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_LE(model->pieces.size(), 600U);
}

TEST(PieceTraining, RefusesATextWithoutCharactersAndSizesThatDoNotFit) {
  EXPECT_FALSE(train_pieces({""}, PieceKind::byte_pairs, 100).finish());
  EXPECT_FALSE(train_pieces({story}, PieceKind::byte_pairs, 100).finish());
  EXPECT_FALSE(train_pieces({story}, PieceKind::byte_pairs, max_trained_pieces + 1).finish());
}

}  // namespace
}  // namespace headscope
