// Tests a model's own tokenizer: pairs of texts, masks, words of several pieces, and texts that are
// continued.
#include <gtest/gtest.h>

#include "core/checkpoint/foreign_model.h"
#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "core/session/action.h"
#include "core/system/atomic_file.h"
#include "core/tasks/task.h"
#include "tests/unit/checkpoint/tiny_bert.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

Session session_of(const std::shared_ptr<const TrainedModel>& model, const std::string& sentence) {
  Session session = reduce(default_session(), opening_action(model));
  session.sentence = sentence;
  session.texts = {};
  return session;
}

TEST(FolderTokenizer, OpensOnWhatWasTypedOrOnAnOrdinarySentence) {
  const auto model = tiny_bert();
  ASSERT_NE(model, nullptr);
  const auto opened_from = [&](const Session& before) { return reduce(before, opening_action(model)); };
  EXPECT_EQ(opened_from(reduce(default_session(), SetSentence{"the cat sat"})).sentence, "the cat sat");
  // Its vocabulary of 29 pieces has hardly a word of the usual sentence.
  const std::string own = opened_from(default_session()).sentence;
  EXPECT_TRUE(own.find("cat") != std::string::npos) << own;
  // These were chosen by the program: by a preset, and as the example of a task.
  Session lists = default_session();
  lists.task = "copying";
  lists.sentence = task(TaskKind::copying).example_sentences().front();
  EXPECT_EQ(opened_from(lists).sentence, own);
  Session typed_lists = lists;
  typed_lists.sentence = "the cat sat";
  EXPECT_EQ(opened_from(typed_lists).sentence, "the cat sat");
}

TEST(FolderTokenizer, ATypedSeparatorBeginsTheSecondTextOfAPair) {
  const auto model = tiny_bert();
  ASSERT_NE(model, nullptr);
  const std::vector<Token> tokens = model->tokenizer->tokenize("the cat [SEP] sat");
  EXPECT_EQ(ids_of(tokens), (std::vector{2, 5, 6, 3, 7, 3}));
  std::vector<int> segments;
  for (const Token& token : tokens) segments.push_back(token.segment);
  EXPECT_EQ(segments, (std::vector{0, 0, 0, 0, 1, 1}));
}

TEST(FolderTokenizer, EachSegmentHasItsRowOfTheTable) {
  const auto model = tiny_bert();
  ASSERT_NE(model, nullptr);
  Engine engine(1);
  const auto trace = engine.compute(request_of(session_of(model, "the [SEP] sat")));
  ASSERT_TRUE(trace.has_value()) << trace.error().message;
  const MatrixView rows = (*trace)->value({StageKind::segments, Stack::encoder});
  const Matrix& table = table_of(model->model, {.kind = StageKind::segments_table});
  ASSERT_EQ(rows.rows, 5);
  for (int row = 0; row < rows.rows; ++row) {
    for (int col = 0; col < rows.cols; ++col) EXPECT_EQ(rows(row, col), table(row < 3 ? 0 : 1, col));
  }
}

TEST(FolderTokenizer, MarksWordsOfSeveralPiecesAndSpecialTokens) {
  const auto model = tiny_bert();
  ASSERT_NE(model, nullptr);
  const std::vector<Token> tokens = model->tokenizer->tokenize("unhappiness.");
  EXPECT_EQ(ids_of(tokens), (std::vector{2, 8, 9, 10, 11, 3}));
  std::vector<bool> continues;
  std::vector<bool> special;
  for (const Token& token : tokens) {
    continues.push_back(token.continues_word);
    special.push_back(is_special_token(token));
  }
  EXPECT_EQ(continues, (std::vector{false, false, true, true, false, false}));
  EXPECT_EQ(special, (std::vector{true, false, false, false, false, true}));
}

TEST(FolderTokenizer, TheFirstMaskIsLookedAt) {
  const auto model = tiny_bert();
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->mask_text, "[MASK]");
  EXPECT_EQ(token_of_interest(session_of(model, "the [MASK] sat [MASK]")), 2);
  EXPECT_EQ(token_of_interest(session_of(model, "the cat sat")), std::nullopt);
}

TEST(FolderTokenizer, ContinuesTextsByPieces) {
  const auto model = tiny_bert();
  ASSERT_NE(model, nullptr);
  Token next;
  next.id = 7;
  next.text = "sat";
  EXPECT_EQ(model->tokenizer->with_appended_tokens("the cat", {&next, 1}), "the cat sat");
  next.id = 9;
  next.text = "##happi";
  EXPECT_EQ(model->tokenizer->with_appended_tokens("the un", {&next, 1}), "the unhappi");
  EXPECT_EQ(tokenizer(TokenizerKind::ids).with_appended_tokens("1 2", {&next, 1}), "1 2 9");
  EXPECT_EQ(tokenizer(TokenizerKind::word).with_appended_tokens("the cat", {&next, 1}), "the cat ##happi");
}

/// A sentencepiece model: the pieces, after the unknown one and the end of a text.
std::string sentencepiece_bytes(const std::vector<std::string>& pieces) {
  const auto field = [](int number, const std::string& bytes) {
    return std::string{static_cast<char>(8 * number + 2), static_cast<char>(bytes.size())} + bytes;
  };
  std::string all;
  const auto add = [&](const std::string& piece, char kind) {
    // The score −1 as a little-endian float, and the kind.
    all += field(1, field(1, piece) + std::string{0x15, 0, 0, '\x80', '\xBF', 0x18, kind});
  };
  add("<unk>", 2);
  add("</s>", 3);
  for (const std::string& piece : pieces) add(piece, 1);
  return all;
}

TEST(FolderTokenizer, OfMarianIsAnotherForEachLanguageWithTheSameIds) {
  const TemporaryFolder folder;
  const std::filesystem::path fixture =
      std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/foreign/marian";
  for (const char* name : {"config.json", "model.safetensors"})
    std::filesystem::copy(fixture / name, folder / name);
  const auto write = [&](const char* name, const std::string& text) {
    EXPECT_TRUE(write_atomically(folder / name, text).has_value());
  };
  write("source.spm", sentencepiece_bytes({"▁the", "▁cat", "▁d"}));
  write("target.spm", sentencepiece_bytes({"▁die", "▁Katze"}));
  write("vocab.json",
        R"({"</s>": 0, "<unk>": 1, "▁cat": 2, "▁die": 3, "▁Katze": 4, "▁the": 5, ">>de<<": 6, "<pad>": 7})");
  const auto model = open_foreign_folder(folder / "", "");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  ASSERT_NE((*model)->tokenizer, nullptr) << (*model)->tokenizer_error;
  EXPECT_EQ(ids_of((*model)->tokenizer->tokenize("the cat")), (std::vector{5, 2, 0}));
  EXPECT_EQ(ids_of((*model)->tokenizer->tokenize(">>de<< the cat")), (std::vector{6, 5, 2, 0}));
  constexpr int start = 2;  // As the fixture's config.json says.
  EXPECT_EQ(ids_of((*model)->target_tokenizer->tokenize("die Katze")), (std::vector{start, 3, 4}));
  EXPECT_EQ(ids_of((*model)->tokenizer->tokenize("die")).front(), 1) << "a piece of the other language";
  write("vocab.json", R"({"</s>": 0, "<unk>": 7})");
  EXPECT_NE((*open_foreign_folder(folder / "", ""))->tokenizer_error.find("vocab.json"), std::string::npos);
}

}  // namespace
}  // namespace headscope
