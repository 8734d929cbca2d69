#include "core/tasks/grammar.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/tasks/draws.h"
#include "core/tasks/sentence.h"

namespace headscope {
namespace {

using Words = std::set<std::string>;

const Grammar& grammar_under_test() {
  static const Grammar only = compile_grammar();
  return only;
}

std::vector<Sentence> drawn_sentences(int n) {
  RandomStream random(11);
  std::vector<Sentence> sentences;
  sentences.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) sentences.push_back(draw_sentence(grammar_under_test(), random));
  return sentences;
}

Words words_in(std::string_view text, std::string_view separators) {
  Words words;
  std::string word;
  for (const char c : std::string(text) + std::string(separators.substr(0, 1))) {
    if (separators.find(c) == std::string_view::npos) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, ""));
    }
  }
  return words;
}

Words words_of_rule_named(std::string_view name) {
  for (const Rule& rule : rules())
    if (rule.name == name) return words_in(rule.alternatives, "| ");
  return {};
}

Words pronouns_of_kinds(std::string_view names) {
  Words pronouns;
  for (const NounKind& kind : noun_kinds()) {
    if (!words_in(names, " ").contains(std::string(kind.name))) continue;
    switch (kind.pronoun) {
      case NounPronoun::it:
        pronouns.insert("it");
        break;
      case NounPronoun::they:
        pronouns.insert("they");
        break;
      case NounPronoun::he:
        pronouns.insert("he");
        break;
      case NounPronoun::she:
        pronouns.insert("she");
        break;
      case NounPronoun::he_or_she:
        pronouns.insert({"he", "she"});
        break;
    }
  }
  return pronouns;
}

Words common(const Words& x, const Words& y) {
  Words both;
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::inserter(both, both.end()));
  return both;
}

std::string name_of(const Frame& frame) {
  return std::string(frame.text) + " [" + std::string(frame.a) + "; " + std::string(frame.b) + "]";
}

TEST(Grammar, EveryNameInTheTablesIsThere) {
  Words kinds{"="};
  Words names;
  for (const NounKind& kind : noun_kinds()) EXPECT_TRUE(kinds.insert(std::string(kind.name)).second);
  for (const Rule& rule : rules()) EXPECT_TRUE(names.insert(std::string(rule.name)).second) << rule.name;
  for (const Frame& frame : frames()) {
    for (const std::string_view slot : {frame.a, frame.b, frame.c})
      for (const std::string& kind : words_in(slot, " ")) EXPECT_TRUE(kinds.contains(kind)) << kind;
    for (const std::string_view rule : {frame.decides_a, frame.decides_b}) {
      EXPECT_TRUE(rule.empty() || names.contains(std::string(rule))) << rule;
    }
  }
}

TEST(Grammar, WhatDecidesIsDifferentForTheTwoNouns) {
  int decisive = 0;
  for (const Frame& frame : frames()) {
    if (!frame.is_decisive()) continue;
    ++decisive;
    EXPECT_TRUE(words_in(frame.text, " ").contains("P")) << name_of(frame);
    if (frame.pronoun_decides) {
      EXPECT_FALSE(words_in(frame.text, " ").contains("X")) << name_of(frame);
      EXPECT_TRUE(common(pronouns_of_kinds(frame.a), pronouns_of_kinds(frame.b)).empty()) << name_of(frame);
      continue;
    }
    EXPECT_TRUE(words_in(frame.text, " ").contains("X")) << name_of(frame);
    const Words for_a = words_of_rule_named(frame.decides_a);
    const Words for_b = words_of_rule_named(frame.decides_b);
    EXPECT_GE(for_a.size(), 2U) << name_of(frame);
    EXPECT_GE(for_b.size(), 2U) << name_of(frame);
    for (const std::string& word : common(for_a, for_b)) ADD_FAILURE() << name_of(frame) << ": " << word;
  }
  EXPECT_GE(decisive, 25);
}

/// Whoever knows no noun and skips articles, adjectives and degrees still knows what is meant: the rest of
/// the words never mean now one noun and now the other.
TEST(Grammar, TheWordsAroundTheNounsDecide) {
  const Grammar& grammar = grammar_under_test();
  Words skipped{",", ".", "an"};
  for (const char* rule : {"article", "article-plural", "degree"}) skipped.merge(words_of_rule_named(rule));
  for (const NounKind& kind : noun_kinds()) skipped.merge(words_in(kind.adjectives, " "));
  std::map<std::string, std::pair<bool, int>> meant;
  for (const Sentence& sentence : drawn_sentences(150000)) {
    if (sentence.frame->decides_a.empty()) continue;
    std::string skeleton;
    for (std::size_t row = 0; row < sentence.words.size(); ++row) {
      const bool is_noun = std::count(sentence.noun_rows.begin(), sentence.noun_rows.end(), row) > 0;
      const std::string word = grammar.words[static_cast<std::size_t>(sentence.words[row])];
      if (is_noun || !skipped.contains(word)) skeleton += (is_noun ? "N" : word) + " ";
    }
    auto& [means_a, times] = meant.try_emplace(skeleton, sentence.means_a, 0).first->second;
    ++times;
    EXPECT_EQ(means_a, sentence.means_a) << skeleton;
  }
  int repeated = 0;
  for (const auto& [skeleton, entry] : meant) repeated += entry.second > 1 ? 1 : 0;
  EXPECT_GT(repeated, 5000) << "too few sentences alike to see anything";
}

TEST(Grammar, NeitherPlaceNorFrequencyDecides) {
  struct Count {
    int all = 0, means_a = 0, near = 0;
  };
  std::map<std::string, Count> counts;
  Count total;
  for (const Sentence& sentence : drawn_sentences(250000)) {
    if (!sentence.frame->is_decisive()) continue;
    const int meant = sentence.noun_rows[sentence.means_a ? 0 : 1];
    const int other = sentence.noun_rows[sentence.means_a ? 1 : 0];
    const auto found = std::find(sentence.means.begin(), sentence.means.end(), meant);
    ASSERT_NE(found, sentence.means.end()) << sentence.frame->text;
    const auto pronoun = static_cast<int>(found - sentence.means.begin());
    for (Count* count : {&counts[name_of(*sentence.frame)], &total}) {
      ++count->all;
      count->means_a += sentence.means_a ? 1 : 0;
      count->near += std::abs(pronoun - meant) < std::abs(pronoun - other) ? 1 : 0;
    }
  }
  counts["all"] = total;
  for (const auto& [name, count] : counts) {
    EXPECT_GT(count.all, 500) << name;
    EXPECT_NEAR(1.0 * count.means_a / count.all, 0.5, 0.05) << name;
    EXPECT_NEAR(1.0 * count.near / count.all, 0.5, 0.05) << name;
  }
  EXPECT_NEAR(1.0 * total.near / total.all, 0.5, 0.01);
}

TEST(Grammar, PronounsFitTheirNouns) {
  const Grammar& grammar = grammar_under_test();
  std::map<std::string, Words> pronouns_of;
  for (const NounKind& kind : noun_kinds())
    for (const std::string& noun : words_in(kind.words, " "))
      pronouns_of[noun].merge(pronouns_of_kinds(kind.name));
  const std::map<std::string, std::string> subject{{"him", "he"}, {"her", "she"}, {"them", "they"}};
  for (const Sentence& sentence : drawn_sentences(20000)) {
    for (std::size_t row = 0; row < sentence.words.size(); ++row) {
      if (sentence.means[row] < 0) continue;
      const auto word = [&](int id) { return grammar.words[static_cast<std::size_t>(id)]; };
      const std::string noun = word(sentence.words[static_cast<std::size_t>(sentence.means[row])]);
      std::string pronoun = word(sentence.words[row]);
      if (subject.contains(pronoun)) pronoun = subject.at(pronoun);
      EXPECT_TRUE(pronouns_of[noun].contains(pronoun)) << pronoun << " for " << noun;
    }
  }
}

TEST(Grammar, FactsHoldNoWordOfDoing) {
  for (const Fact& fact : facts())
    for (const std::string_view word : split_text(fact.attributes, '|'))
      EXPECT_TRUE(word != "hesitating" && word != "destroyed" && word != "skipping") << fact.subject;
  const Words doing = words_in("hesitating destroyed skipping", " ");
  EXPECT_EQ(common(doing, Words(grammar_under_test().words.begin(), grammar_under_test().words.end())),
            doing);
}

TEST(Grammar, OneSentenceIn16IsHeldOut) {
  int held_out = 0;
  for (const Sentence& sentence : drawn_sentences(32000))
    held_out += split_of(canonical_text(grammar_under_test(), sentence)) == Split::held_out ? 1 : 0;
  EXPECT_NEAR(held_out, 2000, 200);
}

}  // namespace
}  // namespace headscope
