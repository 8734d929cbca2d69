// Tests each part of a tokenizer.json. The expected results are those of Hugging Face's tokenizers 0.22.2.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/tokenizers/small_tokenizers.h"

namespace headscope {
namespace {

using Words = std::vector<std::string>;

Json of_type(const std::string& type) {
  return {{"type", type}};
}

struct NormalizedCase {
  Json normalizer;
  std::string text, expected;
};

TEST(Normalizers, ChangeTexts) {
  const Json bert{{"type", "BertNormalizer"},
                  {"clean_text", true},
                  {"handle_chinese_chars", true},
                  {"strip_accents", nullptr},
                  {"lowercase", true}};
  const Json replace_dots{{"type", "Replace"}, {"pattern", {{"String", ".."}}}, {"content", "-"}};
  const Json replace_spaces{{"type", "Replace"}, {"pattern", {{"Regex", "\\s+"}}}, {"content", "_"}};
  const std::vector<NormalizedCase> cases{
      {of_type("NFC"), "e\u0301 \u1100\u1161 \u212B", "é 가 Å"},
      {of_type("NFC"), "a\u0323\u0301 a\u0301\u0323", "ạ\u0301 ạ\u0301"},
      {of_type("NFC"), "\u0958", "\u0915\u093C"},  // This character is excluded from composition.
      {of_type("NFD"), "é 가", "e\u0301 \u1100\u1161"},
      {of_type("NFKC"), "ﬁ ① ｶﾞ", "fi 1 ガ"},
      {of_type("NFKD"), "ﬁé½", "fie\u03011\u20442"},
      {of_type("Lowercase"), "ÄİΣẞ", "äi\u0307σß"},
      {of_type("StripAccents"), "e\u0301e\u20DD", "ee"},
      {of_type("Nmt"), "a\u0007b\u200Bc\td", "ab c d"},
      {of_type("ByteLevel"), "é a", "Ã©Ġa"},
      {{{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}}, " \t a b\u00A0", "a b"},
      {{{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}}, " a ", " a"},
      {replace_dots, "a...b....", "a-.b--"},
      {replace_spaces, " a \n b", "_a_b"},
      {{{"type", "Prepend"}, {"prepend", "▁"}}, "a", "▁a"},
      {{{"type", "Prepend"}, {"prepend", "▁"}}, "", ""},
      {bert, "Caf\u00E9\u0007\u00A0漢字\u200D", "cafe  漢  字 "},
      {{{"type", "Sequence"},
        {"normalizers", {of_type("NFD"), of_type("StripAccents"), of_type("Lowercase")}}},
       "ÉÀ",
       "ea"}};
  for (const NormalizedCase& each : cases) {
    EXPECT_EQ(normalized_text(each.normalizer, each.text), each.expected)
        << each.normalizer << " " << each.text;
  }
}

TEST(PreTokenizers, SplitTexts) {
  const std::string text = "Hey you?! 12 a_b";
  EXPECT_EQ(words_in(of_type("BertPreTokenizer"), text),
            Words({"Hey", "you", "?", "!", "12", "a", "_", "b"}));
  EXPECT_EQ(words_in(of_type("Whitespace"), text), Words({"Hey", "you", "?!", "12", "a_b"}));
  EXPECT_EQ(words_in(of_type("WhitespaceSplit"), text), Words({"Hey", "you?!", "12", "a_b"}));
  EXPECT_EQ(words_in({{"type", "CharDelimiterSplit"}, {"delimiter", "y"}}, text),
            Words({"He", " ", "ou?! 12 a_b"}));
  EXPECT_EQ(words_in({{"type", "Digits"}, {"individual_digits", true}}, "a12b"), Words({"a", "1", "2", "b"}));
  EXPECT_EQ(words_in({{"type", "Digits"}, {"individual_digits", false}}, "a12b"), Words({"a", "12", "b"}));
  EXPECT_EQ(words_in({{"type", "Punctuation"}, {"behavior", "Contiguous"}}, "a?!b"), Words({"a", "?!", "b"}));
  EXPECT_EQ(words_in(of_type("Punctuation"), "a?!b"), Words({"a", "?", "!", "b"}));
  const Json digits_in_words{
      {"type", "Sequence"},
      {"pretokenizers", {of_type("WhitespaceSplit"), {{"type", "Digits"}, {"individual_digits", true}}}}};
  EXPECT_EQ(words_in(digits_in_words, "ab1 2"), Words({"ab", "1", "2"}));
}

TEST(PreTokenizers, SplitByEveryBehavior) {
  const std::string text = "the-final--countdown";
  EXPECT_EQ(words_at("-", text, "Removed"), Words({"the", "final", "countdown"}));
  EXPECT_EQ(words_at("-", text, "Isolated"), Words({"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(words_at("-", text, "MergedWithPrevious"), Words({"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(words_at("-", text, "MergedWithNext"), Words({"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(words_at("-", text, "Contiguous"), Words({"the", "-", "final", "--", "countdown"}));
  EXPECT_EQ(words_at("\\w+", text, "Removed", true), Words({"the", "final", "countdown"}));
}

TEST(PreTokenizers, MetaspaceMarksTheBeginning) {
  const auto pieces = [](const Json& metaspace, const std::string& text) {
    Json file = file_with(whole_words({"▁a", "▁b", "a", "▁", "x"}));
    file["pre_tokenizer"] = metaspace;
    file["added_tokens"] = {added_token("x")};
    const SharedTokenizer tokenizer = make_tokenizer(file);
    Words result;
    for (const int id : ids_of(tokenizer, text)) result.emplace_back(tokenizer->piece(id));
    return result;
  };
  const Json always{{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}};
  const Json first{{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "first"}};
  const Json never{{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "never"}};
  EXPECT_EQ(pieces(always, "a b  b"), Words({"▁a", "▁b", "▁", "▁b"}));
  EXPECT_EQ(pieces(always, "axa"), Words({"▁a", "x", "▁a"}));
  EXPECT_EQ(pieces(first, "axa"), Words({"▁a", "x", "a"}));
  EXPECT_EQ(pieces(never, "a b"), Words({"a", "▁b"}));
  const Json old{{"type", "Metaspace"}, {"replacement", "▁"}, {"str_rep", "▁"}, {"add_prefix_space", true}};
  EXPECT_EQ(pieces(old, "a b"), Words({"▁a", "▁b"}));
}

TEST(Patterns, MeanWhatTheyMeanToOniguruma) {
  EXPECT_EQ(words_at("\\w+", "a‿b-₂Ⅷ", "Isolated"), Words({"a‿b", "-₂", "Ⅷ"}));
  EXPECT_EQ(words_at("\\p{Punct}", "a▁b|c!"), Words({"a▁b|c", "!"}));
  EXPECT_EQ(words_at("\\h+", "xfxG"), Words({"x", "f", "xG"}));
  EXPECT_EQ(words_at("\\s", "a\u180Eb\u2003c"), Words({"a\u180Eb", "\u2003", "c"}));
  EXPECT_EQ(words_at("[^(\\s|[.,!?])]+", "a.b(c d"), Words({"a", ".", "b", "(", "c", " ", "d"}));
  EXPECT_EQ(words_at("[\\p{L}&&[^\\p{Han}]]+", "ab漢c1"), Words({"ab", "漢", "c", "1"}));
  EXPECT_EQ(words_at("[a-w&&[^c-g]z]+", "abcdhz"), Words({"ab", "cd", "h", "z"}));
  EXPECT_EQ(words_at("\\p{N}{1,3}+", "12345"), Words({"12345"}));
  EXPECT_EQ(words_at("a{,2}", "aaab"), Words({"aa", "a", "b"}));
  EXPECT_EQ(words_at("(?m:.)", "a\nb").size(), 3U);
  EXPECT_EQ(words_at("^.", "ab\ncd"), Words({"a", "b\n", "c", "d"}));
  EXPECT_EQ(words_at("\\b", "ab c"), Words({"ab", " ", "c"}));
  EXPECT_EQ(words_at("(?<x>[a-z])\\k<x>", "abbc"), Words({"a", "bb", "c"}));
  EXPECT_EQ(words_at("\\xE2\\x96\\x81", "a▁b"), Words({"a", "▁", "b"}));
  EXPECT_EQ(words_at("(?i:'s|'ll)", "I'LL it's"), Words({"I", "'LL", " it", "'s"}));
  EXPECT_EQ(words_at("(?<=a)b|c\\Kd", "abcd"), Words({"a", "b", "c", "d"}));
  EXPECT_EQ(words_at("\\p{^L}+|\\p{Greek}", "ab12Ω"), Words({"ab", "12", "Ω"}));
}

TEST(Patterns, AreRefusedByName) {
  const auto refusal = [](const std::string& pattern) {
    Json file = file_with(whole_words({}));
    file["pre_tokenizer"] = {
        {"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
    return parse_error_of(file);
  };
  EXPECT_NE(refusal("\\p{Klingonic}").find("invalid character property name {Klingonic}"), std::string::npos);
  EXPECT_NE(refusal("[a").find("premature end of char-class"), std::string::npos);
  EXPECT_NE(refusal("(a").find("is not valid"), std::string::npos);
  EXPECT_NE(refusal("a)").find("unmatched close parenthesis"), std::string::npos);
  EXPECT_NE(refusal("(*FAIL)").find("target of repeat operator"), std::string::npos);
  EXPECT_NE(refusal(std::string(100, '(')).find("parse depth limit over"), std::string::npos);
}

TEST(Patterns, ThatTakeTooLongEndInAnError) {
  Json file = file_with(whole_words({}));
  file["pre_tokenizer"] = {{"type", "Split"},
                           {"pattern", {{"Regex", "(?:a+)+$|(?:a|a)*b"}}},
                           {"behavior", "Isolated"},
                           {"invert", false}};
  const SharedTokenizer tokenizer = make_tokenizer(file);
  ASSERT_TRUE(tokenizer);
  const auto ids = tokenizer->ids(std::string(5000, 'a') + "c");
  ASSERT_FALSE(ids);
  EXPECT_NE(ids.error().message.find("(?:a+)+$"), std::string::npos) << ids.error().message;
}

TEST(AddedTokens, AreFoundAsTheySay) {
  Json file = file_with(whole_words({"a", "b"}));  // The vocabulary also has [UNK], whose id is 2.
  file["pre_tokenizer"] = of_type("WhitespaceSplit");
  file["normalizer"] = of_type("Lowercase");
  file["added_tokens"] = {added_token("[S]", {{"special", true}}),
                          added_token("[L]", {{"lstrip", true}}),
                          added_token("[R]", {{"rstrip", true}}),
                          added_token("one", {{"single_word", true}}),
                          added_token("xy"),
                          added_token("xyz"),
                          added_token("ÉH", {{"normalized", true}}),
                          added_token("a", {{"id", 77}}),
                          added_token("")};
  const SharedTokenizer tokenizer = make_tokenizer(file);
  EXPECT_EQ(tokenizer->size(), 10) << "ids go on above the vocabulary, whatever the file says";
  EXPECT_EQ(ids_of(tokenizer, "[S]b"), std::vector<int>({3, 1}));
  EXPECT_EQ(ids_of(tokenizer, "[s]b"), std::vector<int>({2})) << "it is not normalized";
  EXPECT_EQ(ids_of(tokenizer, "one bone one"), std::vector<int>({6, 2, 6}));
  EXPECT_EQ(ids_of(tokenizer, "xyz xy"), std::vector<int>({8, 7})) << "the longest is taken";
  EXPECT_EQ(ids_of(tokenizer, "éh ÉH"), std::vector<int>({9, 9}));
  const auto tokens = tokenizer->encode("b  [L] [R]  b");
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 4U);
  EXPECT_EQ((*tokens)[1].token.span, (TextSpan{1, 6}));
  EXPECT_EQ((*tokens)[2].token.span, (TextSpan{7, 12}));
  EXPECT_TRUE(tokenizer->is_special(3));
  EXPECT_FALSE(tokenizer->is_special(4));
}

TEST(PostProcessors, PutSpecialTokensAroundTexts) {
  Json file = file_with(whole_words({"a", "b"}));
  const Json cls{{"SpecialToken", {{"id", "[CLS]"}, {"type_id", 0}}}};
  const auto sep = [](int type) { return Json{{"SpecialToken", {{"id", "[SEP]"}, {"type_id", type}}}}; };
  const auto text = [](const char* name, int type) {
    return Json{{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  file["post_processor"] = {{"type", "TemplateProcessing"},
                            {"single", {cls, text("A", 0), sep(0)}},
                            {"pair", {cls, text("A", 0), sep(0), text("B", 1), sep(1)}},
                            {"special_tokens",
                             {{"[CLS]", {{"id", "[CLS]"}, {"ids", {7}}, {"tokens", {"[CLS]"}}}},
                              {"[SEP]", {{"id", "[SEP]"}, {"ids", {8, 9}}, {"tokens", {"[SEP]", "x"}}}}}}};
  const SharedTokenizer with_template = make_tokenizer(file);
  EXPECT_EQ(ids_of(with_template, "a"), std::vector<int>({7, 0, 8, 9}));
  EXPECT_EQ(ids_of(with_template, "a", false), std::vector<int>({0}));
  const auto tokens = with_template->encode("a");
  ASSERT_TRUE(tokens);
  EXPECT_TRUE((*tokens)[0].is_special);

  file["post_processor"] = {{"type", "BertProcessing"}, {"sep", {"[SEP]", 8}}, {"cls", {"[CLS]", 7}}};
  EXPECT_EQ(ids_of(make_tokenizer(file), "a"), std::vector<int>({7, 0, 8}));
  file["post_processor"] = {{"type", "RobertaProcessing"},
                            {"sep", {"</s>", 8}},
                            {"cls", {"<s>", 7}},
                            {"trim_offsets", true},
                            {"add_prefix_space", false}};
  EXPECT_EQ(ids_of(make_tokenizer(file), "a"), std::vector<int>({7, 0, 8}));
  file.erase("post_processor");
  EXPECT_EQ(ids_of(make_tokenizer(file), "a"), std::vector<int>({0}));
}

TEST(Decoders, MakeTextsOfTokens) {
  const auto text = [](const Json& decoder, const Words& pieces) {
    Json file = file_with(whole_words(pieces));
    file["decoder"] = decoder;
    const SharedTokenizer tokenizer = make_tokenizer(file);
    std::vector<int> ids;
    for (const std::string& piece : pieces) ids.push_back(*tokenizer->find(piece));
    const auto decoded = tokenizer->decode(ids);
    EXPECT_TRUE(decoded);
    return decoded ? *decoded : "";
  };
  EXPECT_EQ(text(nullptr, {"a", "b"}), "a b");
  EXPECT_EQ(text(of_type("ByteLevel"), {"Ã", "©", "Ġa", "Ĩ"}), "é a\uFFFD");
  EXPECT_EQ(text({{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}, {"do", "##n", "'", "t", "!"}),
            "don ' t!");
  const Json metaspace{{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}};
  EXPECT_EQ(text(metaspace, {"▁a", "b", "▁c"}), "ab c");
  EXPECT_EQ(text({{"type", "BPEDecoder"}, {"suffix", "</w>"}}, {"a", "b</w>", "c</w>"}), "ab c");
  const Json of_llama{{"type", "Sequence"},
                      {"decoders",
                       {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
                        of_type("ByteFallback"),
                        of_type("Fuse"),
                        {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}};
  EXPECT_EQ(text(of_llama, {"▁a", "<0xC3>", "<0xA9>", "▁b", "<0xC4>"}), "aé b\uFFFD");
}

TEST(TokenizerJson, ReadsMergesInBothForms) {
  const Json vocabulary{{"a", 0}, {"b", 1}, {"ab", 2}};
  const Json lists{
      {"type", "BPE"}, {"vocab", vocabulary}, {"merges", Json::array({Json::array({"a", "b"})})}};
  const Json texts{{"vocab", vocabulary}, {"merges", {"#version: 0.2", "a b"}}};
  EXPECT_EQ(ids_of(make_tokenizer(file_with(lists)), "ab"), std::vector<int>({2}));
  EXPECT_EQ(ids_of(make_tokenizer(file_with(texts)), "ab"), std::vector<int>({2})) << "without a type";
}

TEST(TokenizerJson, NamesWhatIsWrong) {
  const auto with = [](const char* key, const Json& value) {
    Json file = file_with(whole_words({"a"}));
    file[key] = value;
    return file;
  };
  const std::vector<std::pair<Json, std::string>> cases{
      {Json::array(), "it is not an object"},
      {Json::object(), "model is missing"},
      {with("version", "2.0"), "version is not '1.0'"},
      {with("normalizer", of_type("Rot13")), "normalizer is of the unknown type 'Rot13'"},
      {with("normalizer", 3), "normalizer is not an object"},
      {with("pre_tokenizer",
            {{"type", "Sequence"}, {"pretokenizers", {of_type("Whitespace"), of_type("X")}}}),
       "pre_tokenizer.pretokenizers[1] is of the unknown type 'X'"},
      {with("pre_tokenizer", of_type("UnicodeScripts")), "of the unknown type 'UnicodeScripts'"},
      {with("decoder", of_type("X")), "decoder is of the unknown type 'X'"},
      {with("post_processor", of_type("X")), "post_processor is of the unknown type 'X'"},
      {with("model", of_type("X")), "model is of the unknown type 'X'"},
      {with("model",
            {{"type", "BPE"}, {"vocab", Json::object()}, {"merges", Json::array()}, {"dropout", 0.1}}),
       "model.dropout is not null"},
      {with("model", {{"type", "BPE"}, {"vocab", {{"a", 0}}}, {"merges", {"a"}}}),
       "model.merges[0] is not a pair of pieces"},
      {with("model", {{"type", "BPE"}, {"vocab", {{"a", -1}}}, {"merges", Json::array()}}),
       "no id for the piece 'a'"},
      {with("model", {{"type", "BPE"}, {"vocab", {{"a", 4'000'000'000U}}}, {"merges", Json::array()}}),
       "no id for the piece 'a'"},
      {with("model", {{"type", "Unigram"}, {"vocab", {{"a"}}}}),
       "model.vocab[0] is not a pair of a piece and its score"},
      {with("added_tokens", {{{"content", "x"}}}), "added_tokens[0].single_word is missing"},
      {with("normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "AAA"}}), "is not base64"},
      {with("normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "/////w=="}}), "is cut off"},
  };
  for (const auto& [file, expected] : cases) {
    const std::string message = parse_error_of(file);
    EXPECT_NE(message.find(expected), std::string::npos) << message << "\nexpected: " << expected;
  }
}

}  // namespace
}  // namespace headscope
