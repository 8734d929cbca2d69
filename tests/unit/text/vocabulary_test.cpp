#include "core/text/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace headscope {
namespace {

Vocabulary vocabulary_of(std::vector<std::string> words) {
  Result<Vocabulary> made = Vocabulary::make(std::move(words));
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return *made;
}

Vocabulary with_placeholders(int n) {
  std::vector<std::string> words{"[pad]", "[blank]"};
  for (int i = 0; i < n; ++i) words.push_back("[new" + std::to_string(i) + "]");
  for (const char* word : {"the", "dog", "cat", "didn't"}) words.emplace_back(word);
  return vocabulary_of(words);
}

std::vector<int> ids_of(const Vocabulary& vocabulary, std::string_view sentence) {
  std::vector<Token> tokens = tokenize(sentence, TokenizerKind::word);
  vocabulary.assign_ids(tokens);
  std::vector<int> ids;
  ids.reserve(tokens.size());
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

TEST(Vocabulary, IdsAreTheOrderOfTheWords) {
  const Vocabulary vocabulary = vocabulary_of({"zoo", "ape", "[end]", "[begin]", "mouse", "[pad]"});
  ASSERT_EQ(vocabulary.size(), 6);
  for (int id = 0; id < 6; ++id) EXPECT_EQ(vocabulary.find(vocabulary.word(id)), id);
  EXPECT_EQ(vocabulary.find("ap"), std::nullopt);
  EXPECT_EQ(vocabulary.find("apes"), std::nullopt);
  EXPECT_EQ(vocabulary.find(""), std::nullopt);
  EXPECT_EQ(vocabulary.find("zzz"), std::nullopt);
  EXPECT_EQ(vocabulary.end(), 2);
  EXPECT_EQ(vocabulary.begin(), 3);
  EXPECT_EQ(vocabulary.pad(), 5);
  EXPECT_EQ(vocabulary.blank(), -1);
  EXPECT_EQ(vocabulary.n_placeholders(), 0);
}

TEST(Vocabulary, SaysWhatIsWrongWithAList) {
  EXPECT_NE(Vocabulary::make({}).error().message.find("at least one"), std::string::npos);
  EXPECT_NE(Vocabulary::make({"a", ""}).error().message.find("line 2"), std::string::npos);
  EXPECT_NE(Vocabulary::make({"a", "b\nc"}).error().message.find("line 2"), std::string::npos);
  const std::string twice = Vocabulary::make({"a", "dog", "c", "d", "dog"}).error().message;
  EXPECT_NE(twice.find("dog"), std::string::npos);
  EXPECT_NE(twice.find("line 2 "), std::string::npos) << twice;
  EXPECT_NE(twice.find("line 5"), std::string::npos) << twice;
}

TEST(Vocabulary, AnUnknownWordGetsAPlaceholderOfItsEnding) {
  const Vocabulary vocabulary = vocabulary_of(
      {"[new0]", "[new1]", "[new-ed0]", "[new-ed1]", "[new-'s0]", "[new-s0]", "[new-ly0]", "bed"});
  EXPECT_EQ(vocabulary.n_placeholders(), 7);
  EXPECT_EQ(vocabulary.placeholders_for("zorped"), (std::vector<int>{2, 3}));
  EXPECT_EQ(vocabulary.placeholders_for("wugs"), std::vector<int>{5});
  EXPECT_EQ(vocabulary.placeholders_for("wug's"), std::vector<int>{4}) << "the longer ending";
  EXPECT_EQ(vocabulary.placeholders_for("zed"), (std::vector<int>{0, 1})) << "too short for an ending";
  EXPECT_EQ(vocabulary.placeholders_for("zorp"), (std::vector<int>{0, 1}));
  const std::vector<int> ids = ids_of(vocabulary, "bed zorped wugs zorped blicked brill");
  EXPECT_EQ(ids[0], 7);
  EXPECT_EQ(std::set<int>({ids[1], ids[4]}), std::set<int>({2, 3}));
  EXPECT_EQ(ids[1], ids[3]);
  EXPECT_EQ(ids[2], 5);
  EXPECT_LE(ids[5], 1);
  EXPECT_TRUE(vocabulary_of({"[new-ed0]"}).placeholders_for("zorp").empty());
}

TEST(Vocabulary, OnlyNumberedNamesArePlaceholders) {
  const Vocabulary vocabulary = vocabulary_of(
      {"[new]", "[new7]", "[newt]", "new3", "[new12]", "[new1", "[new-]", "[new-3]", "[new-ed]"});
  EXPECT_EQ(vocabulary.n_placeholders(), 2);
  for (int id = 0; id < vocabulary.size(); ++id)
    EXPECT_EQ(vocabulary.is_placeholder(id), id == 1 || id == 4) << id;
  EXPECT_FALSE(vocabulary.is_placeholder(-1));
}

TEST(Vocabulary, KnownWordsAndBlanksGetTheirIds) {
  const Vocabulary vocabulary = with_placeholders(4);
  EXPECT_EQ(ids_of(vocabulary, "The DOG didn’t ___ _ the cat"), (std::vector<int>{6, 7, 9, 1, 1, 6, 8}));
  for (const Token& token : tokenize("The dog ____", TokenizerKind::word))
    EXPECT_TRUE(vocabulary.knows(token)) << token.text;
  for (const Token& token : tokenize("zorp _a_ dogs .", TokenizerKind::word))
    EXPECT_FALSE(vocabulary.knows(token)) << token.text;
}

TEST(Vocabulary, UnknownWordsOfOneSentenceGetDifferentPlaceholders) {
  const Vocabulary vocabulary = with_placeholders(40);
  std::string sentence;
  for (int i = 0; i < 40; ++i) sentence += "word" + std::to_string(i) + " ";
  const std::vector<int> once = ids_of(vocabulary, sentence);
  const std::vector<int> twice = ids_of(vocabulary, sentence + sentence);
  EXPECT_EQ(std::set<int>(once.begin(), once.end()).size(), 40U);
  for (std::size_t i = 0; i < 80; ++i) {
    EXPECT_TRUE(vocabulary.is_placeholder(twice[i]));
    EXPECT_EQ(twice[i], once[i % 40]) << "the same word, the same placeholder";
  }
}

TEST(Vocabulary, TypingOnChangesNoEarlierWord) {
  const Vocabulary vocabulary = with_placeholders(8);
  std::string sentence;
  std::vector<int> before;
  for (int i = 0; i < 8; ++i) {
    sentence += (i % 2 == 0 ? " the zorp" : " blick") + std::to_string(i);
    const std::vector<int> after = ids_of(vocabulary, sentence);
    ASSERT_GT(after.size(), before.size());
    EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
    before = after;
  }
  EXPECT_EQ(ids_of(vocabulary, "the zorp cat")[1], ids_of(vocabulary, "dog zorp")[1])
      << "only its own text counts, not where it stands";
}

TEST(Vocabulary, PlaceholdersThatAreTypedAreTaken) {
  const Vocabulary vocabulary = with_placeholders(2);
  for (const char* typed : {"[new0]", "[new1]"}) {
    const std::vector<int> ids = ids_of(vocabulary, std::string("zorp ") + typed);
    EXPECT_EQ(vocabulary.word(ids[1]), typed);
    EXPECT_NE(ids[0], ids[1]);
  }
}

TEST(Vocabulary, PlaceholdersAreTheSameOnEveryMachine) {
  EXPECT_EQ(ids_of(with_placeholders(256), "zorp blicket früh"), (std::vector<int>{179, 188, 109}));
}

TEST(Vocabulary, SharesPlaceholdersWhenThereAreTooFew) {
  const Vocabulary vocabulary = with_placeholders(2);
  for (const int id : ids_of(vocabulary, "a b c d e f a b")) EXPECT_TRUE(vocabulary.is_placeholder(id));
}

TEST(Vocabulary, WithoutPlaceholdersTheUnknownIsABlankElseThePadElseTheFirst) {
  EXPECT_EQ(ids_of(vocabulary_of({"a", "[pad]", "[blank]"}), "a b"), (std::vector<int>{0, 2}));
  EXPECT_EQ(ids_of(vocabulary_of({"a", "[pad]"}), "a b ___"), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(ids_of(vocabulary_of({"a", "b"}), "b c"), (std::vector<int>{1, 0}));
}

TEST(Vocabulary, TextAndBack) {
  const Vocabulary vocabulary = with_placeholders(3);
  const std::string text = vocabulary.to_text();
  EXPECT_EQ(text, "[pad]\n[blank]\n[new0]\n[new1]\n[new2]\nthe\ndog\ncat\ndidn't\n");
  EXPECT_EQ(Vocabulary::from_text(text)->words(), vocabulary.words());
  EXPECT_EQ(Vocabulary::from_text("a\r\nb c\r\n\u00e9")->words(),
            (std::vector<std::string>{"a", "b c", "\u00e9"}));
  EXPECT_FALSE(Vocabulary::from_text("").has_value());
  EXPECT_NE(Vocabulary::from_text("a\n\nb\n").error().message.find("line 2"), std::string::npos);
  EXPECT_FALSE(Vocabulary::from_text("a\nb\na").has_value());
}

}  // namespace
}  // namespace headscope
