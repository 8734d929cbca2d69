// Tests tokenizers in the metadata of GGUF files made here. reference_test.cpp tests those of real models.
#include "core/tokenizers/gguf_tokenizer.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/io/gguf_writer.h"

namespace headscope {
namespace {

/// Byte-level BPE of a few letters with a control token and a user-defined one.
GgufWriter byte_level(const char* split = "gpt-2") {
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "gpt2");
  writer.text("tokenizer.ggml.pre", split);
  writer.texts("tokenizer.ggml.tokens", {"<s>", "a", "n", "Ġ", "an", "Ġan", "<mine>", "</s>"});
  writer.numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::int32, {3, 1, 1, 1, 1, 1, 4, 3});
  writer.texts("tokenizer.ggml.merges", {"a n", "Ġ an"});
  writer.whole("tokenizer.ggml.bos_token_id", 0);
  writer.whole("tokenizer.ggml.eos_token_id", 7);
  return writer;
}

std::vector<int> ids_of(const GgufWriter& writer, std::string_view text) {
  const std::string bytes = writer.bytes();
  const auto gguf = Gguf::parse(bytes);
  EXPECT_TRUE(gguf.has_value()) << gguf.error().message;
  const auto tokenizer = gguf_tokenizer(*gguf);
  EXPECT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
  return tokenizer ? (*tokenizer)->ids(text).value_or(std::vector<int>()) : std::vector<int>();
}

TEST(GgufTokenizer, PutsAroundTextsWhatTheFileSays) {
  using Ids = std::vector<int>;
  EXPECT_EQ(ids_of(byte_level(), "an an"), (Ids{4, 5}));
  EXPECT_EQ(ids_of(byte_level("llama-bpe"), "an an"), (Ids{0, 4, 5}))
      << "Llama 3 does so unless a file says no";
  GgufWriter writer = byte_level("llama-bpe");
  writer.flag("tokenizer.ggml.add_bos_token", false);
  writer.flag("tokenizer.ggml.add_eos_token", true);
  EXPECT_EQ(ids_of(writer, "an an"), (Ids{4, 5, 7}));
}

TEST(GgufTokenizer, PaddingOfTheUnknownTypeIsNotUnknown) {
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "llama");
  writer.texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "▁", "a", "▁a", "[PAD1]", "[PAD2]"});
  writer.numbers<float>("tokenizer.ggml.scores", GgufType::float32, {0, 0, -3, -2, -1, -1000, -1000});
  writer.numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::int32, {2, 3, 1, 1, 1, 2, 2});
  writer.whole("tokenizer.ggml.bos_token_id", 1);
  EXPECT_EQ(ids_of(writer, "a b"), (std::vector<int>{1, 4, 2, 0}));
}

TEST(GgufTokenizer, FindsControlTokensAndThoseOfAUserInATextWhole) {
  EXPECT_EQ(ids_of(byte_level(), "an<mine>a</s>"), (std::vector<int>{4, 6, 1, 7}));
}

TEST(GgufTokenizer, WritesPiecesOfWordPieceAsElsewhere) {
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "bert");
  writer.texts("tokenizer.ggml.tokens", {"[UNK]", "[CLS]", "[SEP]", "▁cat", "s", "▁[", "▁"});
  writer.whole("tokenizer.ggml.cls_token_id", 1);
  writer.whole("tokenizer.ggml.seperator_token_id", 2);
  const std::string bytes = writer.bytes();
  const auto gguf = Gguf::parse(bytes);
  ASSERT_TRUE(gguf.has_value());
  const auto tokenizer = gguf_tokenizer(*gguf);
  ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
  EXPECT_EQ((*tokenizer)->piece(3), "cat");
  EXPECT_EQ((*tokenizer)->piece(4), "##s");
  EXPECT_EQ((*tokenizer)->piece(5), "[");
  EXPECT_EQ((*tokenizer)->piece(6), "##▁");
  EXPECT_EQ((*tokenizer)->ids("Cats [").value(), (std::vector<int>{1, 3, 4, 5, 2}));
}

TEST(GgufTokenizer, NamesWhatItDoesNotSupport) {
  const auto message = [](const std::function<void(GgufWriter&)>& spoil) {
    GgufWriter writer = byte_level();
    spoil(writer);
    const std::string bytes = writer.bytes();
    const auto gguf = Gguf::parse(bytes);
    EXPECT_TRUE(gguf.has_value());
    const auto tokenizer = gguf_tokenizer(*gguf);
    return tokenizer ? std::string() : tokenizer.error().message;
  };
  const auto expect = [&](const char* part, const std::function<void(GgufWriter&)>& spoil) {
    EXPECT_NE(message(spoil).find(part), std::string::npos) << message(spoil);
  };
  expect("no tokenizer.ggml.model", [](GgufWriter& w) { w.remove("tokenizer.ggml.model"); });
  expect("“rwkv”, but only llama, gpt2 and bert",
         [](GgufWriter& w) { w.text("tokenizer.ggml.model", "rwkv"); });
  expect("“superbpe”, whose way to split", [](GgufWriter& w) { w.text("tokenizer.ggml.pre", "superbpe"); });
  expect("no list tokenizer.ggml.tokens", [](GgufWriter& w) { w.remove("tokenizer.ggml.tokens"); });
  expect("no list tokenizer.ggml.merges", [](GgufWriter& w) { w.remove("tokenizer.ggml.merges"); });
  expect("no list tokenizer.ggml.scores", [](GgufWriter& w) { w.text("tokenizer.ggml.model", "llama"); });
  expect("its merge 1, “an”, is not two pieces",
         [](GgufWriter& w) { w.texts("tokenizer.ggml.merges", {"an"}); });
  expect("token_type has 1 entries, but there are 8 tokens",
         [](GgufWriter& w) { w.numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::int32, {1}); });
  expect("its token 0 has an unknown token_type", [](GgufWriter& w) {
    w.numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::int32, {9, 1, 1, 1, 1, 1, 1, 1});
  });
  expect("its token 1 is not UTF-8", [](GgufWriter& w) {
    w.texts("tokenizer.ggml.tokens", {"a", "\xFF", "", "", "", "", "", ""});
  });
  expect("has no tokenizer.ggml.bos_token_id", [](GgufWriter& w) {
    w.flag("tokenizer.ggml.add_bos_token", true);
    w.whole("tokenizer.ggml.bos_token_id", 99);
  });
}

}  // namespace
}  // namespace headscope
