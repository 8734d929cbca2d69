#include "core/text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <random>

#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

Strings texts(std::string_view sentence, TokenizerKind kind = TokenizerKind::word) {
  Strings result;
  for (const Token& token : tokenize(sentence, kind)) result.push_back(token.text);
  return result;
}

Strings lookups(std::string_view sentence) {
  Strings result;
  for (const Token& token : tokenize(sentence, TokenizerKind::word)) result.push_back(token.lookup);
  return result;
}

std::vector<int> ids(std::string_view sentence, TokenizerKind kind) {
  std::vector<int> result;
  for (const Token& token : tokenize(sentence, kind)) result.push_back(token.id);
  return result;
}

TEST(WordTokenizer, SplitsOffPunctuationAndKeepsApostrophes) {
  EXPECT_EQ(texts("The animal didn't cross (it was \"tired\"): why?!"),
            (Strings{"The", "animal", "didn't", "cross", "(", "it", "was", "\"", "tired", "\"", ")", ":",
                     "why", "?", "!"}));
}

TEST(WordTokenizer, KnowsTypographicMarks) {
  EXPECT_EQ(texts("“It didn’t—did it…”"), (Strings{"“", "It", "didn’t", "—", "did", "it", "…", "”"}));
  EXPECT_EQ(lookups("didn’t ‘so’"), (Strings{"didn't", "'so'"}));
}

TEST(WordTokenizer, SplitsAPronounFromItsShortenedVerb) {
  EXPECT_EQ(texts("It's he’s they're"), (Strings{"It", "'s", "he", "’s", "they", "'re"}));
  EXPECT_EQ(lookups("It's he’s they're"), (Strings{"it", "is", "he", "is", "they", "are"}));
  EXPECT_EQ(texts("its cat's didn't 's"), (Strings{"its", "cat's", "didn't", "'s"}));
}

TEST(WordTokenizer, LooksUpInLowerCase) {
  EXPECT_EQ(lookups("The ÉCOLE ÖL ŁÓDŹ Ÿ ΣΟΦΟΣ σοφος Ώρα МОСКВА Ёж ЇЖАК"),
            (Strings{"the", "école", "öl", "łódź", "ÿ", "σοφοσ", "σοφοσ", "ώρα", "москва", "ёж", "їжак"}));
  EXPECT_EQ(texts("The ÉCOLE"), (Strings{"The", "ÉCOLE"}));
}

TEST(WordTokenizer, NumbersByFirstAppearance) {
  EXPECT_EQ(ids("The cat saw the dog, the cat", TokenizerKind::word),
            (std::vector<int>{0, 1, 2, 0, 3, 4, 0, 1}));
}

TEST(WordTokenizer, AnyWhiteSpaceSeparates) {
  const Strings expected{"a", "b"};
  for (const std::string space :
       {" ", "\t", "\n", "\r\n", "\v", "\f", "\u00A0", "\u2003", "\u2028", "\u3000", "\u200B", "\uFEFF"}) {
    EXPECT_EQ(texts("a" + space + "b"), expected) << space;
    EXPECT_EQ(texts(space + "a" + space + space + "b" + space), expected);
  }
  EXPECT_EQ(texts(std::string_view("a\0b", 3)), expected);
}

TEST(WordTokenizer, EmptyAndBlankSentencesHaveNoTokens) {
  for (const TokenizerKind kind : {TokenizerKind::word, TokenizerKind::seed1}) {
    EXPECT_TRUE(tokenize("", kind).empty());
    EXPECT_TRUE(tokenize(" \t\n\u00A0 ", kind).empty());
  }
  EXPECT_TRUE(tokenize("',;#$@&)(", TokenizerKind::seed1).empty());
}

TEST(WordTokenizer, KoreanEmojiAndInvalidBytes) {
  EXPECT_EQ(texts("동물이 길을 건너지 않았다."), (Strings{"동물이", "길을", "건너지", "않았다", "."}));
  EXPECT_EQ(texts("so 🙂🙂 tired 👩‍👧"), (Strings{"so", "🙂🙂", "tired", "👩‍👧"}));
  EXPECT_EQ(texts("a\xFF"
                  "b \xE2\x82"),
            (Strings{"a\uFFFDb", "\uFFFD"}));
}

TEST(Seed1Tokenizer, NumbersItsOwnSentence) {
  EXPECT_EQ(ids("The sky is blue and world is round", TokenizerKind::seed1),
            (std::vector<int>{0, 6, 4, 2, 1, 7, 4, 5}));
}

TEST(Seed1Tokenizer, NumbersThatTheDocumentPrintsBelongToAnotherSentence) {
  EXPECT_EQ(ids("The sky is blue and world is blue", TokenizerKind::seed1),
            (std::vector<int>{0, 6, 5, 3, 1, 7, 5, 3}));
}

TEST(Seed1Tokenizer, RemovesItsIgnoredCharactersAndKeepsCase) {
  EXPECT_EQ(texts("It didn't (cost) $5; a,b #1 @x y&z.", TokenizerKind::seed1),
            (Strings{"It", "didnt", "cost", "5", "ab", "1", "x", "yz."}));
  EXPECT_EQ(ids("the The the", TokenizerKind::seed1), (std::vector<int>{2, 0, 2}));
}

/// The expected ids come from a dictionary as the document builds it: later positions in the sorted list
/// overwrite earlier ones.
TEST(Seed1Tokenizer, AgreesWithTheDictionaryOfTheDocument) {
  std::mt19937 random(3);
  const Strings words{"sky", "Sky", "is", "blue", "é", "é", "동물", "z", "is.", "🙂"};
  for (int run = 0; run < 500; ++run) {
    std::string sentence;
    Strings list;
    const int n = std::uniform_int_distribution<int>(0, 30)(random);
    for (int i = 0; i < n; ++i) {
      list.push_back(words[std::uniform_int_distribution<std::size_t>(0, words.size() - 1)(random)]);
      sentence += list.back() + " ";
    }
    Strings sorted = list;
    std::sort(sorted.begin(), sorted.end(),
              [](const std::string& a, const std::string& b) { return code_points(a) < code_points(b); });
    std::map<std::string, int> stoi;
    for (std::size_t i = 0; i < sorted.size(); ++i) stoi[sorted[i]] = static_cast<int>(i);
    std::vector<int> expected;
    for (const std::string& word : list) expected.push_back(stoi[word]);
    ASSERT_EQ(ids(sentence, TokenizerKind::seed1), expected) << sentence;
  }
}

TEST(Tokenizer, AQuotedWordHasNoLeadingSpaceAndNamesAPlaceholder) {
  EXPECT_EQ(quoted_word(" three"), "“three”");
  EXPECT_EQ(quoted_word("three"), "“three”");
  EXPECT_EQ(quoted_word(" "), "“␣”") << "a token of its own";
  EXPECT_EQ(display_word("[new21]"), "unknown word");
  EXPECT_EQ(display_word("[new-s22]"), "unknown word in -s");
  EXPECT_EQ(display_word("[pad]"), "[pad]");
}

TEST(Tokenizer, AnyBytesGiveValidNonEmptyTokens) {
  std::mt19937 random(4);
  const std::string interesting = " \t\n.,'\"(A\xC3\x89\xE2\x80\x9C\xF0\x9F\x99\x82\xFF\x80";
  for (int run = 0; run < 20000; ++run) {
    std::string bytes(std::uniform_int_distribution<std::size_t>(0, 32)(random), '\0');
    for (char& byte : bytes)
      byte = run % 2 == 0
                 ? static_cast<char>(std::uniform_int_distribution<int>(0, 255)(random))
                 : interesting[std::uniform_int_distribution<std::size_t>(0, interesting.size() - 1)(random)];
    for (const TokenizerKind kind : {TokenizerKind::word, TokenizerKind::seed1}) {
      for (const Token& token : tokenize(bytes, kind)) {
        ASSERT_FALSE(token.text.empty());
        ASSERT_EQ(valid_utf8(token.text), token.text);
        ASSERT_EQ(valid_utf8(token.lookup), token.lookup);
        ASSERT_FALSE(token.lookup.empty());
        for (const char32_t c : code_points(token.text)) ASSERT_FALSE(is_separator(c));
      }
    }
  }
}

TEST(Tokenizer, EveryTokenSaysWhereItStands) {
  const std::string text = "  «Größe»,  isn’t \xFF it?";
  for (const TokenizerKind kind : {TokenizerKind::word, TokenizerKind::seed1}) {
    EXPECT_EQ(tokenizer(kind).kind(), kind);
    std::size_t end = 0;
    for (const Token& token : tokenizer(kind).tokenize(text)) {
      EXPECT_GE(token.span.begin, end) << token.text;
      EXPECT_LT(token.span.begin, token.span.end) << token.text;
      ASSERT_LE(token.span.end, text.size());
      end = token.span.end;
      const std::string typed = text.substr(token.span.begin, token.span.end - token.span.begin);
      if (kind == TokenizerKind::word) {
        EXPECT_EQ(valid_utf8(typed), token.text);
      } else {
        const auto again = tokenize(typed, kind);
        ASSERT_EQ(again.size(), 1U) << typed;
        EXPECT_EQ(again.front().text, token.text);
      }
    }
  }
}

TEST(LowerCase, IsItsOwnResult) {
  for (char32_t c = 0; c < 0x11000; ++c) ASSERT_EQ(lower_case(lower_case(c)), lower_case(c)) << unsigned(c);
  EXPECT_EQ(lower_case(U'×'), U'×');
  for (char32_t c = 0; c < 0x80; ++c) {
    const auto letter = static_cast<int>(c);
    ASSERT_EQ(lower_case(c), static_cast<char32_t>(std::tolower(letter))) << letter;
    ASSERT_EQ(is_separator(c), std::iscntrl(letter) != 0 || c == U' ') << letter;
    ASSERT_EQ(to_utf8(c), std::string(1, static_cast<char>(letter))) << letter;
  }
  EXPECT_EQ(lower_case(U'ß'), U'ß');
  EXPECT_EQ(lower_case(U'İ'), U'i');
  EXPECT_EQ(lower_case(U'동'), U'동');
  EXPECT_EQ(lower_case(U'ẞ'), U'ß');
  EXPECT_EQ(lower_case(U'Ა'), U'ა') << "any script that has capitals";
}

TEST(Letters, SpacesAndControlsSeparate) {
  int n = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) n += is_separator(c) ? 1 : 0;
  EXPECT_EQ(n, 65 + 17 + 2 + 2) << "control characters, spaces, two line ends, two that cannot be seen";
  for (const char32_t c : {U' ', U'\n', U'\u0085', U'\u2009', U'\u2028', U'\u200B', U'\uFEFF'}) {
    EXPECT_TRUE(is_separator(c)) << static_cast<unsigned>(c);
  }
  EXPECT_FALSE(is_separator(U'\uFFFF'));
}

}  // namespace
}  // namespace headscope
