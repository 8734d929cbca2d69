// Compares tokenizers in GGUF files with the same models' own files on many texts. Some of the GGUF files are
// real; the others are made here as llama.cpp's conversion makes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/base64.h"
#include "core/tokenizers/open_tokenizer.h"
#include "tests/unit/io/gguf_writer.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path shared_data = fs::path(HEADSCOPE_SOURCE_DIR) / "../shared";

/// Parts of texts: scripts, spaces, code, numbers, symbols, letters of several characters. No lone joiners,
/// with which Hugging Face's tokenizers normalize a character otherwise than sentencepiece and llama.cpp.
constexpr auto fragments = std::to_array<std::string_view>({" ",
                                                            " ",
                                                            " ",
                                                            "  ",
                                                            "   ",
                                                            "\n",
                                                            "\n\n",
                                                            "\r\n",
                                                            "\t",
                                                            "\u00A0",
                                                            "\u3000",
                                                            "\u200B",
                                                            "\uFEFF",
                                                            "\u00AD",
                                                            ".",
                                                            ", ",
                                                            "!?",
                                                            "...",
                                                            "…",
                                                            "'s",
                                                            "'LL",
                                                            "’t",
                                                            "“quoted”",
                                                            "-",
                                                            "—",
                                                            "_",
                                                            "/",
                                                            "a",
                                                            "I",
                                                            "Hello",
                                                            "WORLD",
                                                            "naïve",
                                                            "e\u0301te\u0301",
                                                            "Straße",
                                                            "İstanbul",
                                                            "ﬁne",
                                                            "Ωμέγα",
                                                            "Привет, мир",
                                                            "שלום",
                                                            "مرحبا بالعالم",
                                                            "हिन्दी",
                                                            "ภาษาไทย",
                                                            "你好，世界。",
                                                            "日本語のテキスト",
                                                            "한국어 문장",
                                                            "\u1112\u1161\u11ab",
                                                            "🙂",
                                                            "👩‍👩‍👧",
                                                            "❤️",
                                                            "𝒳²",
                                                            "3.14159",
                                                            "1,000,000",
                                                            "2026",
                                                            "００７",
                                                            "½",
                                                            "x[i] += 1; // done",
                                                            "def f(a, b):\n    return a*b\n",
                                                            "<a href=\"#\">",
                                                            "if (x != 0) { y <<= 2; }",
                                                            "▁"});

/// The words and lines of a file of the corpus.
std::vector<std::string> corpus_parts() {
  std::vector<std::string> parts;
  std::ifstream file(shared_data / "corpus/tinystories-held-out.txt");
  for (std::string line; std::getline(file, line) && parts.size() < 400;) {
    if (line.empty() || line.starts_with('<')) continue;
    parts.push_back(line.substr(0, 60));
    parts.push_back(line.substr(0, line.find(' ')));
  }
  return parts;
}

class TextMaker {
 public:
  explicit TextMaker(std::vector<std::string> parts) : parts_(std::move(parts)) {}
  std::string next() {
    constexpr unsigned most = 9;
    std::string text;
    for (unsigned n = 1 + below(most); n > 0; --n) {
      if (below(3) == 0) {
        text += parts_[below(static_cast<unsigned>(parts_.size()))];
      } else {
        text += fragments[below(static_cast<unsigned>(fragments.size()))];
      }
    }
    return text;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::mt19937 random_{20};
  std::vector<std::string> parts_;
};

using Tokenizer = std::shared_ptr<const ModelTokenizer>;

Tokenizer opened(const GgufWriter& writer) {
  const std::string bytes = writer.bytes();
  const auto gguf = Gguf::parse(bytes);
  EXPECT_TRUE(gguf.has_value()) << gguf.error().message;
  const auto tokenizer = gguf_tokenizer(*gguf);
  EXPECT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
  return tokenizer.value();
}

enum Kind : std::int32_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5 };

/// The pieces of a vocabulary in the order of their ids, with their kinds. Ids that none has are padding.
struct Pieces {
  std::vector<std::string> texts;
  std::vector<std::int32_t> kinds;

  void add(std::size_t id, const std::string& text, std::int32_t kind) {
    for (std::size_t next = texts.size(); next <= id; ++next) {
      texts.push_back("[PAD" + std::to_string(next) + "]");
      kinds.push_back(unused);
    }
    texts[id] = text;
    kinds[id] = kind;
  }
  void add_special(const Json& json) {
    for (const Json& token : json["added_tokens"]) {
      const bool is_special = token["special"].get<bool>();
      add(token["id"].get<std::size_t>(), token["content"].get<std::string>(),
          is_special ? control : user_defined);
    }
  }
  int id_of(const std::string& text) const {
    return static_cast<int>(std::find(texts.begin(), texts.end(), text) - texts.begin());
  }
  void write(GgufWriter& to) const {
    to.texts("tokenizer.ggml.tokens", texts);
    to.numbers<std::int32_t>("tokenizer.ggml.token_type", GgufType::int32, kinds);
  }
};

Json json_in(const fs::path& folder) {
  std::ifstream file(folder / "tokenizer.json");
  return Json::parse(file);
}

Tokenizer byte_level_of(const fs::path& folder, const char* split) {
  const Json json = json_in(folder);
  Pieces pieces;
  for (const auto& [piece, id] : json["model"]["vocab"].items())
    pieces.add(id.get<std::size_t>(), piece, normal);
  pieces.add_special(json);
  std::vector<std::string> merges;
  for (const Json& merge : json["model"]["merges"])
    merges.push_back(merge.is_string() ? merge.get<std::string>()
                                       : merge[0].get<std::string>() + " " + merge[1].get<std::string>());
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "gpt2");
  writer.text("tokenizer.ggml.pre", split);
  pieces.write(writer);
  writer.texts("tokenizer.ggml.merges", merges);
  return opened(writer);
}

Tokenizer gpt2_of(const fs::path& folder) {
  return byte_level_of(folder, "gpt-2");
}

Tokenizer bloom_of(const fs::path& folder) {
  return byte_level_of(folder, "bloom");
}

Tokenizer unigram_of(const fs::path& folder) {
  const Json json = json_in(folder);
  Pieces pieces;
  std::vector<float> scores;
  for (const Json& piece : json["model"]["vocab"]) {
    pieces.add(pieces.texts.size(), piece[0].get<std::string>(), normal);
    scores.push_back(piece[1].get<float>());
  }
  pieces.add_special(json);
  scores.resize(pieces.texts.size(), -1000.0F);
  const auto id = json["model"].value("unk_id", std::size_t{2});
  pieces.kinds[id] = unknown;
  const std::string map = from_base64(json["normalizer"]["precompiled_charsmap"].get<std::string>()).value();
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "t5");
  writer.text("tokenizer.ggml.pre", "default");
  pieces.write(writer);
  writer.numbers<float>("tokenizer.ggml.scores", GgufType::float32, scores);
  writer.flag("tokenizer.ggml.add_space_prefix", true);
  writer.flag("tokenizer.ggml.remove_extra_whitespaces", true);
  writer.numbers<char>("tokenizer.ggml.precompiled_charsmap", GgufType::int8, {map.begin(), map.end()});
  writer.whole("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(pieces.id_of("</s>")));
  writer.whole("tokenizer.ggml.unknown_token_id", static_cast<std::uint32_t>(id));
  return opened(writer);
}

/// Begins of words are marked instead of continuations.
Tokenizer word_piece_of(const fs::path& folder) {
  const Json json = json_in(folder);
  Pieces pieces;
  for (const auto& [piece, id] : json["model"]["vocab"].items())
    pieces.add(id.get<std::size_t>(), piece.starts_with("##") ? piece.substr(2) : "▁" + piece, normal);
  pieces.add_special(json);
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "bert");
  writer.text("tokenizer.ggml.pre", "jina-v2-en");
  pieces.write(writer);
  for (const auto& [key, piece] : {std::pair("cls", "[CLS]"), std::pair("seperator", "[SEP]"),
                                   std::pair("unknown", "[UNK]"), std::pair("mask", "[MASK]")})
    writer.whole("tokenizer.ggml." + std::string(key) + "_token_id",
                 static_cast<std::uint32_t>(pieces.id_of(piece)));
  return opened(writer);
}

/// A model's own tokenizer, and either a function that makes the GGUF file or a real one.
struct ConvertedTokenizer {
  const char* name;
  const char* own;
  Tokenizer (*convert)(const fs::path& folder) = nullptr;
  const char* file = nullptr;
};

class GgufConversion : public testing::TestWithParam<ConvertedTokenizer> {};

TEST_P(GgufConversion, GivesTheIdsOfTheModelsOwnFile) {
  const ConvertedTokenizer& of = GetParam();
  const fs::path own = shared_data / "reference" / of.own;
  if (!fs::exists(own)) GTEST_SKIP() << "no reference data at " << own;
  TextMaker texts(corpus_parts());
  if (corpus_parts().empty()) GTEST_SKIP() << "no corpus at " << shared_data / "corpus";
  const Tokenizer first = open_tokenizer(own).value();
  const Tokenizer second =
      of.convert != nullptr ? of.convert(own) : open_tokenizer(shared_data / "reference" / of.file).value();
  constexpr int n_texts = 10'000, most_shown = 5;
  int n_different = 0;
  for (int i = 0; i < n_texts; ++i) {
    const std::string text = texts.next();
    const auto expected = first->ids(text, false);
    const auto ids = second->ids(text, false);
    ASSERT_TRUE(expected.has_value() && ids.has_value()) << text;
    if (*ids == *expected || ++n_different > most_shown) continue;
    EXPECT_EQ(*ids, *expected) << text << "\nis " << second->decode(*ids).value_or("?");
  }
  EXPECT_EQ(n_different, 0) << "of " << n_texts << " texts";
}

INSTANTIATE_TEST_SUITE_P(
    All, GgufConversion,
    testing::Values(ConvertedTokenizer{"gpt2", "tokenizers/gpt2", gpt2_of},
                    ConvertedTokenizer{"gpt2_file", "tokenizers/gpt2", nullptr,
                                       "checkpoints/tokenizers/ggml-gpt-2/ggml-vocab-gpt-2.gguf"},
                    ConvertedTokenizer{"bloom", "checkpoints/models/tiny-bloom", bloom_of},
                    ConvertedTokenizer{"llama2", "checkpoints/tokenizers/llama2", nullptr,
                                       "checkpoints/tokenizers/ggml-llama-spm/ggml-vocab-llama-spm.gguf"},
                    ConvertedTokenizer{"t5", "checkpoints/tokenizers/t5", unigram_of},
                    ConvertedTokenizer{"tiny_t5", "checkpoints/models/tiny-t5", unigram_of},
                    ConvertedTokenizer{"bert", "checkpoints/models/tiny-bert-cls", word_piece_of},
                    ConvertedTokenizer{"bert_file", "tokenizers/bert-base-uncased", nullptr,
                                       "checkpoints/tokenizers/ggml-bert-bge/ggml-vocab-bert-bge.gguf"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace headscope
