// Tests properties that hold for every tokenizer: spans, words, displayed texts, and invalid texts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "tests/unit/tokenizers/small_tokenizers.h"

namespace headscope {
namespace {

/// A vocabulary with a letter for every byte, and some merges.
Json byte_level_file() {
  Json vocabulary = Json::object();
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    vocabulary[letters_of_bytes({&c, 1})] = byte;
  }
  const std::vector<std::pair<std::string, std::string>> merges{{"Ġ", "t"}, {"h", "e"}, {"Ġt", "he"},
                                                                {"a", "n"}, {"Ġ", "Ġ"}, {"Ã", "©"}};
  Json list = Json::array();
  for (const auto& [left, right] : merges) {
    vocabulary[left + right] = vocabulary.size();
    list.push_back({left, right});
  }
  Json file = file_with({{"type", "BPE"}, {"vocab", vocabulary}, {"merges", list}});
  file["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", false}};
  file["decoder"] = {{"type", "ByteLevel"}};
  file["added_tokens"] = {added_token("<|end|>", {{"special", true}})};
  return file;
}

std::vector<std::string> shown_in(const SharedTokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> shown;
  const auto tokens = tokenizer->encode(text);
  EXPECT_TRUE(tokens);
  for (const ModelToken& token : *tokens) shown.push_back(token.token.text);
  return shown;
}

TEST(ModelTokenizer, ShowsTokensAsPeopleReadThem) {
  const SharedTokenizer tokenizer = make_tokenizer(byte_level_file());
  EXPECT_EQ(shown_in(tokenizer, "an the"), (std::vector<std::string>{"an", " the"}));
  EXPECT_EQ(shown_in(tokenizer, "é\n\t\x01<|end|>"),
            (std::vector<std::string>{"é", "⏎", "⇥", "␁", "<|end|>"}));
  EXPECT_EQ(shown_in(tokenizer, "…"), (std::vector<std::string>{"‹E2›", "‹80›", "‹A6›"}));
  const auto tokens = tokenizer->encode("an the");
  ASSERT_TRUE(tokens);
  EXPECT_EQ((*tokens)[1].token.lookup, "Ġthe");
  EXPECT_EQ((*tokens)[1].token.span, (TextSpan{2, 6}));
}

TEST(ModelTokenizer, OnlyThePiecesOfALetterAreAWordWhereNoSpacesAreWritten) {
  const SharedTokenizer tokenizer = make_tokenizer(byte_level_file());
  const auto words_in = [&](const std::string& text) {
    const auto tokens = tokenizer->encode(text);
    EXPECT_TRUE(tokens);
    std::vector<std::size_t> sizes;
    for (const auto& [first, last] : words_of(*tokens)) sizes.push_back(last - first);
    return sizes;
  };
  EXPECT_EQ(words_in("漢字"), (std::vector<std::size_t>{3, 3})) << "three bytes each";
  EXPECT_EQ(words_in("ก\u0E35\u0E48ข"), (std::vector<std::size_t>{9, 3}))
      << "with the marks above the letter";
  EXPECT_EQ(words_in("한국"), (std::vector<std::size_t>{6}));
  EXPECT_EQ(words_in("قط"), (std::vector<std::size_t>{4}));
}

TEST(ModelTokenizer, GroupsTokensIntoWords) {
  const SharedTokenizer tokenizer = make_tokenizer(byte_level_file());
  // The tokens are an d | the | ␣ | ␣ he n | end | x.
  const auto tokens = tokenizer->encode("and the  hen<|end|>x");
  ASSERT_TRUE(tokens);
  std::vector<std::string> words;
  for (const auto& [first, last] : words_of(*tokens)) {
    std::string text;
    for (std::size_t i = first; i < last; ++i) text += (*tokens)[i].token.text;
    words.push_back(text);
  }
  EXPECT_EQ(words, (std::vector<std::string>{"and", " the", " ", " ", "hen", "<|end|>", "x"}));
}

TEST(ModelTokenizer, ReadsWhatIsNoUtf8) {
  const SharedTokenizer tokenizer = make_tokenizer(byte_level_file());
  const std::string text = std::string("a\0\xFF\xE2\x82", 5) + "b";
  const auto tokens = tokenizer->encode(text);
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 9U);  // The tokens are a, NUL, two U+FFFD of three bytes each, and b.
  EXPECT_EQ((*tokens)[2].token.span, (TextSpan{2, 3}));
  EXPECT_EQ((*tokens)[5].token.span, (TextSpan{3, 5}));
  EXPECT_EQ((*tokens)[8].token.span, (TextSpan{5, 6}));
}

TEST(ModelTokenizer, GivesBytesBack) {
  const SharedTokenizer tokenizer = make_tokenizer(byte_level_file());
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    std::string bytes;
    for (std::size_t n = random() % 40; n > 0; --n) bytes += static_cast<char>(random() % 256);
    const auto tokens = tokenizer->encode(bytes);
    ASSERT_TRUE(tokens);
    std::vector<int> ids;
    std::size_t end = 0;
    for (const ModelToken& token : *tokens) {
      ids.push_back(token.token.id);
      EXPECT_EQ(valid_utf8(token.token.text), token.token.text);
      EXPECT_LE(token.token.span.begin, end) << "nothing is left out";
      end = token.token.span.end;
    }
    EXPECT_EQ(end, bytes.size());
    EXPECT_EQ(ids, ids_of(tokenizer, bytes));
    EXPECT_EQ(*tokenizer->decode(ids), valid_utf8(bytes));
  }
}

TEST(ModelTokenizer, LeavesOutIdsThatAreNone) {
  const SharedTokenizer tokenizer = make_tokenizer(byte_level_file());
  const int end = *tokenizer->find("<|end|>");
  EXPECT_EQ(end, tokenizer->size() - 1);
  EXPECT_EQ(*tokenizer->decode(std::vector<int>{97, -1, 1 << 30, end}), "a<|end|>");
  EXPECT_EQ(*tokenizer->decode(std::vector<int>{97, end}, true), "a");
  EXPECT_EQ(tokenizer->piece(-1), "");
  EXPECT_EQ(tokenizer->shown(1 << 30), "");
  EXPECT_FALSE(tokenizer->find("nothing"));
}

TEST(ModelTokenizer, TakesAMegabyteOfAnything) {
  const SharedTokenizer tokenizer = make_tokenizer(byte_level_file());
  constexpr std::size_t n_bytes = std::size_t{1} << 20U;
  EXPECT_EQ(ids_of(tokenizer, std::string(n_bytes, 'a')).size(), n_bytes);
  EXPECT_EQ(ids_of(tokenizer, std::string(n_bytes, ' ')).size(), n_bytes / 2);
  EXPECT_EQ(ids_of(tokenizer, std::string(n_bytes, '\0')).size(), n_bytes);
}

/// Expects that a tokenizer refuses to read a few letters. Whether memory or time is used up first depends on
/// the speed of the machine.
void expect_too_much(const Json& file) {
  const SharedTokenizer tokenizer = make_tokenizer(file);
  ASSERT_TRUE(tokenizer);
  SCOPED_TRACE(file.dump().substr(0, 400));
  const std::string text = std::string(30, 'a') + "é";  // ByteLevel makes two letters of each byte above 0x7F
  const auto tokens = tokenizer->encode(text);
  const auto ids = tokenizer->ids(text);
  ASSERT_FALSE(tokens);
  ASSERT_FALSE(ids);
  for (const Error& error : {tokens.error(), ids.error()}) {
    EXPECT_NE(error.message.find("takes too "), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("use a shorter text"), std::string::npos) << error.message;
  }
}

Json repeated(const std::string& list, const Json& step, int times) {
  return {{"type", "Sequence"}, {list, std::vector<Json>(static_cast<std::size_t>(times), step)}};
}

TEST(ModelTokenizer, NoTokenizerMakesASmallTextExpensive) {
  const Json words = whole_words({"a"});
  const Json grow{{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aaaaaaaaaa"}};
  const Json letters{
      {"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", false}, {"use_regex", false}};
  const Json token{{"SpecialToken", {{"id", "S"}, {"type_id", 0}}}};
  Json file = file_with(words);
  file["normalizer"] = repeated("normalizers", grow, 10);
  expect_too_much(file);
  file["normalizer"] = repeated("normalizers", {{"type", "ByteLevel"}}, 40);
  expect_too_much(file);
  file["normalizer"] = nullptr;
  file["pre_tokenizer"] = repeated("pretokenizers", letters, 40);
  expect_too_much(file);
  const Json slow{{"type", "Split"},
                  {"pattern", {{"Regex", "(?:a|a|a){12}[bc]"}}},
                  {"behavior", "Isolated"},
                  {"invert", false}};
  file["pre_tokenizer"] = repeated("pretokenizers", slow, 100);
  expect_too_much(file);
  file["post_processor"] = {
      {"type", "TemplateProcessing"}, {"pair", Json::array()}, {"special_tokens", Json::object()}};
  file["pre_tokenizer"] = {
      {"type", "Split"}, {"pattern", {{"Regex", "."}}}, {"behavior", "Isolated"}, {"invert", false}};
  file["post_processor"]["single"] =
      std::vector<Json>(200'000, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  expect_too_much(file);
  file["post_processor"]["single"] = std::vector<Json>(10'000, token);
  file["post_processor"]["special_tokens"]["S"] = {{"id", "S"}, {"ids", std::vector<int>(20'000)}};
  EXPECT_NE(parse_error_of(file).find("takes too much "), std::string::npos);
}

TEST(ModelTokenizer, NoDecoderMakesAFewIdsExpensive) {
  Json file = file_with(whole_words({"a"}));
  file["decoder"] = repeated(
      "decoders", {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aaaaaaaaaa"}}, 10);
  const auto text = make_tokenizer(file)->decode(std::vector<int>{0, 0, 0});
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("takes too much "), std::string::npos) << text.error().message;
}

TEST(ModelTokenizer, SpansOfNormalizedTextsAreOfTheOriginal) {
  Json file = file_with(whole_words({"cafe", "fi"}));
  file["normalizer"] = {
      {"type", "Sequence"},
      {"normalizers", {{{"type", "NFKD"}}, {{"type", "StripAccents"}}, {{"type", "Lowercase"}}}}};
  file["pre_tokenizer"] = {{"type", "WhitespaceSplit"}};
  const auto tokens = make_tokenizer(file)->encode("CAFÉ  ﬁ");
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 2U);
  EXPECT_EQ((*tokens)[0].token.span, (TextSpan{0, 5}));
  EXPECT_EQ((*tokens)[1].token.span, (TextSpan{7, 10}));
}

}  // namespace
}  // namespace headscope
