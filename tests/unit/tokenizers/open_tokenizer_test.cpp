// Opens folders and files of tokenizers: tests which file is used, what the files next to it set, and what is
// refused.
#include "core/tokenizers/open_tokenizer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "core/tokenizers/characters.h"
#include "core/tokenizers/sentencepiece_model.h"
#include "core/tokenizers/tokenizer_files.h"
#include "tests/unit/io/temporary_folder.h"
#include "tests/unit/tokenizers/small_tokenizers.h"

namespace headscope {
namespace {

class TokenizerFolder : public TemporaryFolder {
 public:
  std::filesystem::path path() const { return (*this / "x").parent_path(); }
};

void put(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(value | 0x80U);
  return bytes + static_cast<char>(value);
}

/// A field of a protocol buffers message.
std::string proto(unsigned number, const std::string& bytes) {
  return varint(number << 3U | 2U) + varint(bytes.size()) + bytes;
}
std::string proto(unsigned number, std::uint64_t value) {
  return varint(number << 3U) + varint(value);
}

std::string proto_piece(const std::string& text, float score, unsigned kind) {
  std::string bits;
  for (unsigned i = 0; i < 4; ++i) bits += static_cast<char>(std::bit_cast<std::uint32_t>(score) >> (8 * i));
  return proto(1, proto(1, text) + varint(2U << 3U | 5U) + bits + proto(3, kind));
}

/// A sentencepiece model: <unk> <s> </s> ▁ a b ▁a ▁ab.
std::string sentencepiece_bytes(unsigned algorithm) {
  return proto_piece("<unk>", 0, 2) + proto_piece("<s>", 0, 3) + proto_piece("</s>", 0, 3) +
         proto_piece("▁", -4, 1) + proto_piece("a", -5, 1) + proto_piece("b", -6, 1) +
         proto_piece("▁a", -1, 1) + proto_piece("▁ab", -2, 1) + proto(2, proto(3, algorithm)) +
         proto(3, proto(1, "identity"));
}

std::vector<int> ids_in(const std::filesystem::path& path, const std::string& text) {
  const auto tokenizer = open_tokenizer(path);
  if (!tokenizer) {
    ADD_FAILURE() << tokenizer.error().message;
    return {};
  }
  return ids_of(*tokenizer, text);
}

std::string refusal(const std::filesystem::path& path) {
  const auto tokenizer = open_tokenizer(path);
  return tokenizer ? "" : tokenizer.error().message;
}

TEST(OpenTokenizer, TakesTheFilesInTheirOrder) {
  const TokenizerFolder folder;
  put(folder.path() / "x.tiktoken", "not ranks");
  put(folder.path() / "spiece.model", sentencepiece_bytes(1));
  EXPECT_EQ(ids_in(folder.path(), "ab"), std::vector<int>({7}));
  put(folder.path() / "vocab.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n##b\r\n");
  EXPECT_EQ(ids_in(folder.path(), "AB x"), std::vector<int>({2, 4, 5, 1, 3}));
  put(folder.path() / "vocab.json", R"({"a":0,"b":1,"ab":2,"<|endoftext|>":3})");
  EXPECT_EQ(ids_in(folder.path(), "ab"), std::vector<int>({2, 4, 5, 3})) << "vocab.json alone is none";
  put(folder.path() / "merges.txt", "#version: 0.2\na b\n");
  EXPECT_EQ(ids_in(folder.path(), "ab<|endoftext|>b"), std::vector<int>({2, 3, 1}));
  put(folder.path() / "tokenizer.json", file_with(whole_words({"ab"})).dump());
  EXPECT_EQ(ids_in(folder.path(), "ab"), std::vector<int>({0}));
  EXPECT_EQ(ids_in(folder.path() / "spiece.model", "ab"), std::vector<int>({7}))
      << "a file is taken as named";
}

TEST(OpenTokenizer, ReadsTheKindOfModelAndItsTokens) {
  const TokenizerFolder folder;
  put(folder.path() / "vocab.json", R"({"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"a":4,"<mask>":5})");
  put(folder.path() / "merges.txt", "");
  put(folder.path() / "config.json", R"({"model_type":"roberta","bos_token_id":0,"eos_token_id":[2]})");
  put(folder.path() / "special_tokens_map.json",
      R"({"mask_token":{"content":"<mask>","lstrip":true},"pad_token":"<pad>"})");
  put(folder.path() / "added_tokens.json", R"({"<new>":9})");
  const auto tokenizer = open_tokenizer(folder.path());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  EXPECT_EQ(ids_of(*tokenizer, "a<new> <mask>"), std::vector<int>({0, 4, 9, 5, 2}));
  EXPECT_EQ(ids_of(*tokenizer, "a", false), std::vector<int>({4}));
  const SpecialIds& ids = (*tokenizer)->special_ids();
  EXPECT_EQ(ids.bos, 0);
  EXPECT_EQ(ids.eos, 2);
  EXPECT_EQ(ids.pad, 1);
  EXPECT_EQ(ids.mask, 5);
  EXPECT_EQ((*tokenizer)->size(), 10);
}

TEST(OpenTokenizer, LlamasClassFollowsItsFlagsWhateverItsTokenizerJsonSays) {
  const TokenizerFolder folder;
  put(folder / "tokenizer.json",
      R"({"model": {"type": "BPE", "vocab": {"<s>": 0, "</s>": 1, "a": 2}, "merges": []}})");
  const auto ids = [&](const std::string& config) {
    put(folder / "tokenizer_config.json", config);
    return ids_in(folder.path(), "a");
  };
  using Ids = std::vector<int>;
  EXPECT_EQ(ids(R"({"tokenizer_class": "LlamaTokenizer", "add_bos_token": true})"), (Ids{0, 2}));
  EXPECT_EQ(
      ids(R"({"tokenizer_class": "LlamaTokenizerFast", "add_bos_token": false, "add_eos_token": true})"),
      (Ids{2, 1}));
  EXPECT_EQ(ids(R"({"tokenizer_class": "LlamaTokenizer"})"), (Ids{2}));
  EXPECT_EQ(ids(R"({"tokenizer_class": "PreTrainedTokenizerFast", "add_bos_token": true})"), (Ids{2}));
}

TEST(OpenTokenizer, RefusesAVocabularyThatIsNoUtf8ByItsLine) {
  const TokenizerFolder folder;
  // The last character is cut off, at the end of a line and at the end of the file.
  for (const char* cut : {"\xE2\n[UNK]\n[CLS]\n[SEP]\na\n", "[UNK]\n[CLS]\n[SEP]\na\n\xF0\x9F"}) {
    put(folder.path() / "vocab.txt", cut);
    const auto parts = open_tokenizer(folder.path() / "vocab.txt");
    ASSERT_FALSE(parts);
    const std::string line = *cut == '[' ? "line 5" : "line 1";
    EXPECT_NE(parts.error().message.find(line + " is not valid UTF-8"), std::string::npos)
        << parts.error().message;
  }
  EXPECT_EQ(character_at("\xE2", 0).length, 1U);
  EXPECT_EQ(character_at("a\xF0\x9F", 1).length, 2U);
}

TEST(OpenTokenizer, KeepsLettersOfACasedBert) {
  const TokenizerFolder folder;
  put(folder.path() / "vocab.txt", "\xEF\xBB\xBF[UNK]\n[CLS]\n[SEP]\nA\na\na\n");
  EXPECT_EQ(ids_in(folder.path(), "A"), std::vector<int>({1, 5, 2})) << "of two equal lines the last counts";
  put(folder.path() / "tokenizer_config.json",
      R"({"do_lower_case":false,"tokenizer_class":"BertTokenizer"})");
  EXPECT_EQ(ids_in(folder.path(), "A"), std::vector<int>({1, 3, 2}));
}

TEST(OpenTokenizer, NamesWhatItCannotOpen) {
  const TokenizerFolder folder;
  EXPECT_NE(refusal(folder.path()).find("none of the files"), std::string::npos);
  EXPECT_NE(refusal(folder.path() / "absent.json").find("absent.json"), std::string::npos);
  EXPECT_NE(refusal(folder.path() / "x.bin").find("its name does not show its format"), std::string::npos);
  put(folder.path() / "vocab.json", "{}");
  EXPECT_NE(refusal(folder.path() / "vocab.json").find("it needs merges.txt"), std::string::npos);
  put(folder.path() / "tokenizer.json", "{");
  EXPECT_NE(refusal(folder.path()).find("it is not valid JSON from line 1"), std::string::npos)
      << refusal(folder.path());
  std::filesystem::remove(folder.path() / "tokenizer.json");
  put(folder.path() / "merges.txt", "a b c\n");
  EXPECT_NE(refusal(folder.path()).find("line 1 of the merges"), std::string::npos) << refusal(folder.path());
  put(folder.path() / "config.json", R"({"model_type":"whisper"})");
  EXPECT_NE(refusal(folder.path()).find("whisper"), std::string::npos) << refusal(folder.path());
  put(folder.path() / "config.json", "[1");
  EXPECT_NE(refusal(folder.path()).find("config.json"), std::string::npos) << refusal(folder.path());
}

TEST(SentencePiece, ReadsBothAlgorithms) {
  for (const unsigned algorithm : {1U, 2U}) {
    const TokenizerFolder folder;
    put(folder.path() / "tokenizer.model", sentencepiece_bytes(algorithm));
    EXPECT_EQ(ids_in(folder.path(), "  ab   a "), std::vector<int>({7, 6}));
    EXPECT_EQ(ids_in(folder.path(), "xyb"), std::vector<int>({3, 0, 5}));
    EXPECT_EQ(ids_in(folder.path(), "<s>"), std::vector<int>({3, 0})) << "it finds no special tokens";
    put(folder.path() / "config.json", R"({"model_type":"llama"})");
    EXPECT_EQ(ids_in(folder.path(), "ab</s>a"), std::vector<int>({1, 7, 2, 6}));
    put(folder.path() / "config.json", R"({"model_type":"t5"})");
    EXPECT_EQ(ids_in(folder.path(), "ab<extra_id_0>"), std::vector<int>({7, 107, 2}));
    put(folder.path() / "config.json", R"({"model_type":"xlm-roberta"})");
    EXPECT_EQ(ids_in(folder.path(), "ab"), std::vector<int>({0, 8, 2})) << "each id is one more";
    put(folder.path() / "config.json", R"({"model_type":"albert"})");
    EXPECT_NE(refusal(folder.path()).find("albert"), std::string::npos);
  }
}

TEST(SentencePiece, OfDebertaFramesTextsAsBert) {
  const TokenizerFolder folder;
  put(folder.path() / "spm.model", proto_piece("[PAD]", 0, 3) + proto_piece("[CLS]", 0, 3) +
                                       proto_piece("[SEP]", 0, 3) + proto_piece("[UNK]", 0, 2) +
                                       proto_piece("▁a", -1, 1) + proto_piece("▁b", -2, 1) +
                                       proto(2, proto(3, 1)) + proto(3, proto(1, "identity")));
  put(folder.path() / "config.json", R"({"model_type":"deberta-v2"})");
  EXPECT_EQ(ids_in(folder.path(), "a [MASK] b"), std::vector<int>({1, 4, 6, 5, 2}));
  const auto tokenizer = open_tokenizer(folder.path());
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ((*tokenizer)->special_ids().mask, 6);
  EXPECT_EQ((*tokenizer)->special_ids().pad, 0);
  put(folder.path() / "tokenizer_config.json", R"({"do_lower_case":true})");
  EXPECT_NE(refusal(folder.path()).find("do_lower_case"), std::string::npos) << refusal(folder.path());
}

TEST(SentencePiece, DecodesAsItEncodes) {
  const TokenizerFolder folder;
  put(folder.path() / "tokenizer.model", sentencepiece_bytes(2));
  const auto tokenizer = open_tokenizer(folder.path());
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(*(*tokenizer)->decode(std::vector<int>{1, 7, 6, 0, 2}), "ab a ⁇ ");
  EXPECT_EQ((*tokenizer)->shown(7), " ab");
  EXPECT_TRUE((*tokenizer)->is_special(1));
}

TEST(SentencePiece, IsCutOffAnywhereWithoutHarm) {
  const std::string whole = sentencepiece_bytes(1);
  std::size_t n_refused = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto model = parse_sentencepiece(std::string_view(whole).substr(0, length));
    if (!model) {
      ++n_refused;
    } else {
      EXPECT_FALSE(model->pieces.empty());
    }
  }
  EXPECT_GT(n_refused, whole.size() / 2);
  EXPECT_FALSE(parse_sentencepiece("version https://git-lfs.github.com/spec/v1\n"));
  const std::string of_words = sentencepiece_bytes(3);
  const auto words = parse_sentencepiece(of_words);
  ASSERT_FALSE(words);
  EXPECT_NE(words.error().message.find("word"), std::string::npos);
}

TEST(SentencePiece, RefusesPiecesThatContradict) {
  const TokenizerFolder folder;
  const auto refused = [&](const std::string& bytes) {
    put(folder.path() / "tokenizer.model", bytes);
    return refusal(folder.path());
  };
  const std::string unknown = proto_piece("<unk>", 0, 2);
  EXPECT_NE(refused(proto_piece("a", 0, 1)).find("no piece is the unknown token"), std::string::npos);
  EXPECT_NE(refused(unknown + proto_piece("<unk2>", 0, 2)).find("a second unknown token"), std::string::npos);
  EXPECT_NE(refused(unknown + proto_piece("a", 0, 1) + proto_piece("a", 0, 1)).find("occurs twice"),
            std::string::npos);
  EXPECT_NE(refused(unknown + proto_piece("", 0, 1)).find("is empty"), std::string::npos);
  EXPECT_NE(refused(unknown + proto_piece("a", 0, 9)).find("unknown kind 9"), std::string::npos);
  EXPECT_NE(refused(unknown + proto(2, proto(35, 1))).find("falls back to bytes"), std::string::npos);
  EXPECT_NE(
      refused(unknown + proto_piece("a", std::numeric_limits<float>::infinity(), 1)).find("not a number"),
      std::string::npos);
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j <= bytes.size() ? digits[bits >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

/// The ranks of all single bytes, followed by " a" and "é".
std::string ranks() {
  std::string text;
  for (int byte = 0; byte < 256; ++byte) {
    text += base64(std::string(1, static_cast<char>(byte))) + " " + std::to_string(byte) + "\n";
  }
  return text + base64(" a") + " 256\n" + base64("é") + " 257\n";
}

TEST(Tiktoken, SplitsAsItsNameSays) {
  const TokenizerFolder folder;
  put(folder.path() / "some.tiktoken", ranks());
  EXPECT_EQ(ids_in(folder.path(), "é a"), std::vector<int>({257, 256}));
  EXPECT_EQ(ids_in(folder.path(), "<|endoftext|>"), std::vector<int>({100'257}));
  std::filesystem::rename(folder.path() / "some.tiktoken", folder.path() / "qwen.tiktoken");
  EXPECT_EQ(ids_in(folder.path(), "e\u0301<|im_end|>"), std::vector<int>({257, 260}));
  put(folder.path() / "tokenizer.model", ranks());
  EXPECT_EQ(ids_in(folder.path() / "tokenizer.model", " a"), std::vector<int>({258, 256})) << "Llama 3";
}

TEST(Tiktoken, NamesTheLine) {
  const auto refused = [](const std::string& text) { return parse_tiktoken(text, "").error().message; };
  EXPECT_NE(refused(ranks() + "YQ= 7\n").find("line 259"), std::string::npos);
  EXPECT_NE(refused("YQ== x\n").find("line 1"), std::string::npos);
  EXPECT_NE(refused("YQ== 0\n").find("no piece for the byte"), std::string::npos);
  EXPECT_FALSE(parse_tiktoken("", ""));
}

}  // namespace
}  // namespace headscope
