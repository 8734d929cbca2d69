// Tests tokenizers in the metadata of GGUF files made here. reference_test.cpp tests those of real models.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/io/base64.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/open_tokenizer.h"
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

/// The words into which a text is split: in a vocabulary of all its parts, each of which all pairs of smaller
/// ones make, every word is one token.
std::string words_of(const char* split, const std::string& text) {
  std::string letters;
  std::vector<std::size_t> ends{0};
  for (const char byte : text) {
    letters += letters_of_bytes({&byte, 1});
    ends.push_back(letters.size());
  }
  std::set<std::string> pieces;
  std::vector<std::string> merges;
  for (std::size_t size = 1; size < ends.size(); ++size) {
    for (std::size_t from = 0; from + size < ends.size(); ++from) {
      const auto part = [&](std::size_t first, std::size_t last) {
        return letters.substr(ends[first], ends[last] - ends[first]);
      };
      if (!pieces.insert(part(from, from + size)).second) continue;
      for (std::size_t at = from + 1; at < from + size; ++at)
        merges.push_back(part(from, at) + " " + part(at, from + size));
    }
  }
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "gpt2");
  writer.text("tokenizer.ggml.pre", split);
  writer.texts("tokenizer.ggml.tokens", {pieces.begin(), pieces.end()});
  writer.texts("tokenizer.ggml.merges", merges);
  writer.flag("tokenizer.ggml.add_bos_token", false);
  const std::string bytes = writer.bytes();
  const auto gguf = Gguf::parse(bytes);
  EXPECT_TRUE(gguf.has_value()) << gguf.error().message;
  const auto tokenizer = gguf_tokenizer(*gguf);
  EXPECT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
  if (!tokenizer) return "";
  std::string words;
  const std::vector<int> ids = (*tokenizer)->ids(text).value();
  for (std::size_t i = 0; i < ids.size(); ++i)
    words.append(i == 0 ? "" : "¦").append((*tokenizer)->decode(std::span(ids).subspan(i, 1)).value());
  return words;
}

/// What the patterns of the models' tokenizer.json match, by another engine (Perl's).
TEST(GgufTokenizer, SplitsTextsAsTheModelsInUse) {
  const std::vector<std::pair<const char*, std::string>> splits{
      {"gpt-4o", "Hello¦World's¦ ¦123¦45¦\n\n¦AB"},
      {"tekken", "Hello¦World¦'s¦ ¦1¦2¦3¦4¦5¦\n\n¦AB"},
      {"falcon3", "HelloWorld¦'s¦ ¦123¦45¦\n\n¦AB"},
      {"chatglm-bpe", "HelloWorld¦'s¦ ¦123¦45¦\n\n¦AB"},
      {"jais", "HelloWorld¦'s¦ 12345¦\n¦\n¦AB"},
      {"poro-chat", "HelloWorld's¦ 12345¦\n\n¦AB"},
      {"viking", "HelloWorld's¦ ¦1¦2¦3¦4¦5¦\n\n¦AB"},
      {"deepseek-llm", "HelloWorld¦'¦s¦ ¦12345¦\n¦\n¦AB"},
      {"deepseek-v3", "HelloWorld¦'s¦ ¦123¦45¦\n\n¦AB"},
      {"qwen35", "HelloWorld¦'s¦ ¦1¦2¦3¦4¦5¦\n\n¦AB"},
      {"bailingmoe", "HelloWorld¦'s¦ ¦1¦2¦3¦4¦5¦\n\n¦AB"},
      {"seed-coder", "HelloWorld¦'s¦ ¦1¦2¦3¦4¦5¦\n\n¦AB"},
      {"gpt-4o", "été¦,¦ 日本語¦！¦ ¦12¦."},
      {"tekken", "été¦,¦ 日本語¦！¦ ¦1¦2¦."},
      {"lfm2", "été¦,¦ 日本語¦！¦ ¦12¦."},
      {"deepseek-llm", "é¦t¦é¦,¦ ¦日本語¦！¦ ¦12¦."},
      {"deepseek-v3", "été¦,¦ ¦日本語¦！¦ ¦12¦."},
      {"poro-chat", "été¦,¦ 日本語！¦ 12¦."},
      {"llama4", "x¦=y¦();¦ //¦ z¦\n \n¦ ¦ if"},
      {"jais", "x¦=¦y¦();¦ //¦ z¦\n \n ¦ if"},
      {"poro-chat", "x=y¦()¦;¦ //¦ z¦\n \n ¦ if"},
      {"deepseek-llm", "x¦=¦y¦();¦ //¦ z¦\n¦ ¦\n¦ ¦ if"},
      {"seed-coder", "x¦=y¦();¦ //¦ z¦\n \n¦ ¦ if"},
      {"bailingmoe", "x¦=y¦();¦ //¦ z¦\n \n¦ ¦ if"},
      {"gpt-4o", " ((¦ок¦))¦ हिन्दी¦…"},
      {"falcon3", " ((¦ок¦))¦ ह¦िन¦्द¦ी…"},
      {"deepseek-llm", " ((¦ок¦))¦ ¦हिन्दी…"},
      {"deepseek-v3", " ((¦ок¦))¦ हिन्दी¦…"},
      {"qwen35", " ((¦ок¦))¦ हिन्दी¦…"},
      {"poro-chat", " ((¦ок¦))¦ हिन्दी¦…"},
      {"kimi-k2", "Hello¦World's¦ ¦123¦45¦\n\n¦AB"},
      {"kimi-k2", "été¦,¦ ¦日本語¦！¦ ¦12¦."},
      {"kimi-k2", "我有¦a한국어¦123¦456¦7"},
      {"kimi-k2", " ((¦ок¦))¦ हिन्दी¦…"},
      {"youtu", "Hello¦World's¦ ¦1¦2¦3¦4¦5¦\n\n¦AB"},
      {"youtu", "été¦,¦ ¦日本語¦！¦ ¦1¦2¦."},
      {"youtu", "我有¦a¦한국어¦1¦2¦3¦4¦5¦6¦7"},
      {"tiny_aya", "Hello¦World's¦ ¦12¦345¦\n\n¦AB"},
      {"tiny_aya", "我有a한국어¦1¦234¦567"},
  };
  for (const auto& [split, words] : splits) {
    std::string text = words;
    for (std::size_t at = 0; (at = text.find("¦")) != std::string::npos;) text.erase(at, 2);
    EXPECT_EQ(words_of(split, text), words) << split;
  }
}

TEST(GgufTokenizer, SaysWhenItsWayToSplitIsNotNamed) {
  GgufWriter writer = byte_level();
  const auto doubt = [&] {
    const std::string bytes = writer.bytes();
    return gguf_tokenizer(Gguf::parse(bytes).value()).value()->doubt();
  };
  EXPECT_EQ(doubt(), "");
  writer.remove("tokenizer.ggml.pre");
  EXPECT_NE(doubt().find("tokenizer.ggml.pre"), std::string::npos);
}

TEST(GgufTokenizer, TakesThePiecesOfUnigramWithTheLargestSum) {
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "t5");
  writer.texts("tokenizer.ggml.tokens",
               {"<pad>", "</s>", "<unk>", "▁", "a", "n", "▁an", "na", "[PAD1]", "<s>"});
  writer.numbers<float>("tokenizer.ggml.scores", GgufType::float32, {0, 0, 0, -2, -3, -3, -4, -3.5, -1, 0});
  writer.numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::int32, {3, 3, 2, 1, 1, 1, 1, 1, 2, 3});
  writer.whole("tokenizer.ggml.eos_token_id", 1);
  writer.whole("tokenizer.ggml.unknown_token_id", 2);
  using Ids = std::vector<int>;
  EXPECT_EQ(ids_of(writer, "ana"), (Ids{6, 4, 1})) << "−4 − 3 is more than −2 − 3 − 3.5";
  EXPECT_EQ(ids_of(writer, "  na  b"), (Ids{3, 7, 3, 2, 1})) << "spaces are joined";
  writer.flag("tokenizer.ggml.remove_extra_whitespaces", false);
  writer.flag("tokenizer.ggml.add_space_prefix", false);
  EXPECT_EQ(ids_of(writer, "na  an"), (Ids{7, 3, 6, 1}));
  writer.whole("tokenizer.ggml.bos_token_id", 9);
  writer.flag("tokenizer.ggml.add_bos_token", true);
  EXPECT_EQ(ids_of(writer, "na"), (Ids{9, 7, 1})) << "as in XLM-RoBERTa";
}

TEST(GgufTokenizer, GivesThePublishedIdsOfT5) {
  const std::filesystem::path folder =
      std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference/checkpoints/tokenizers/t5";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no reference data at " << folder;
  std::ifstream stream(folder / "tokenizer.json");
  const auto json = nlohmann::json::parse(stream);
  std::vector<std::string> pieces;
  std::vector<float> scores;
  std::vector<std::int32_t> kinds;
  for (const auto& piece : json["model"]["vocab"]) {
    pieces.push_back(piece[0]);
    scores.push_back(piece[1]);
    const bool is_control = pieces.size() < 3 || pieces.back().starts_with("<extra_id_");
    kinds.push_back(pieces.size() == 3 ? 2 : is_control ? 3 : 1);
  }
  const std::string map = from_base64(json["normalizer"]["precompiled_charsmap"].get<std::string>()).value();
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "t5");
  writer.texts("tokenizer.ggml.tokens", pieces);
  writer.numbers<float>("tokenizer.ggml.scores", GgufType::float32, scores);
  writer.numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::int32, kinds);
  writer.numbers<char>("tokenizer.ggml.precompiled_charsmap", GgufType::int8, {map.begin(), map.end()});
  writer.whole("tokenizer.ggml.eos_token_id", 1);
  writer.whole("tokenizer.ggml.unknown_token_id", 2);
  std::ifstream lines(folder / "vectors.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const auto vector = nlohmann::json::parse(line);
    if (!vector.value("special", false)) continue;
    EXPECT_EQ(ids_of(writer, vector["text"].get<std::string>()), vector["ids"].get<std::vector<int>>())
        << line;
  }
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
  expect("“rwkv”, but only llama, gpt2, bert and t5",
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
