#include "core/tasks/pronouns.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "core/tasks/grammar.h"
#include "tests/unit/tasks/drawn_examples.h"

namespace headscope {
namespace {

constexpr std::uint8_t pronouns_bit = 1U;
constexpr std::uint8_t words_bit = 2U;
constexpr std::uint8_t blanks_bit = 4U;
constexpr std::uint8_t looks_bit = 8U;

const Vocabulary& known() {
  return task(TaskKind::pronouns).vocabulary();
}

std::set<std::string> words_between(std::string_view text) {
  std::set<std::string> words;
  for (const Token& token : tokenize(text, TokenizerKind::word)) words.insert(token.lookup);
  return words;
}

std::set<std::string> all_nouns() {
  std::set<std::string> nouns;
  const Grammar grammar = compile_grammar();
  for (const CompiledKind& kind : grammar.kinds) {
    for (const int id : kind.words) {
      const std::string& word = grammar.words[static_cast<std::size_t>(id)];
      nouns.insert({word, plural_of(word)});
    }
  }
  return nouns;
}

bool is_pronoun(const std::string& word) {
  static const std::set<std::string> pronouns = words_between("it he she they him her them");
  return pronouns.contains(word);
}

std::vector<Example> some_of_both(int n) {
  std::vector<Example> examples = draw_examples(task(TaskKind::pronouns), Split::train, n);
  const std::vector<Example> others = draw_examples(task(TaskKind::pronouns), Split::held_out, n / 4);
  examples.insert(examples.end(), others.begin(), others.end());
  return examples;
}

TEST(Pronouns, KnowsManyWordsAndAllOfTheSmallGrammar) {
  EXPECT_EQ(known().n_placeholders(), 256);
  EXPECT_EQ(known().word(known().pad()), "[pad]");
  EXPECT_EQ(known().word(known().blank()), "[blank]");
  EXPECT_GE(known().size() - 258, 350);
  for (
      const std::string& word : words_between(
          "animal dog cat horse child robot bird rabbit woman man soldier cow street road river bridge field park lake valley desert path tunnel square tired scared hungry lazy sick weak thirsty shy nervous sleepy wide long deep busy icy flooded narrow dark crowded steep trophy ball book box table piano chair lamp statue bottle suitcase bag drawer car closet cabinet basket locker sky blue grass green snow white sun yellow coal black big large tall heavy small tiny short full didn't could not did cross enter leave reach visit because it was too since very fit in the a this every hesitating destroyed skipping world round , ."))
    EXPECT_TRUE(known().find(word)) << word;
}

TEST(Pronouns, AsksForTheNounsTheWordsAndTheBlanks) {
  const std::set<std::string> nouns = all_nouns();
  for (const Example& example : some_of_both(20000)) {
    SCOPED_TRACE(words_of(known(), example.source));
    ASSERT_TRUE(example.target.empty());
    for (std::size_t row = 0; row < example.source.size(); ++row) {
      const std::string& word = known().word(example.source[row]);
      const bool is_owner_word = word == "her" && (example.parts[row] & words_bit) != 0;
      if (is_pronoun(word) && !is_owner_word) {
        const bool is_ambiguous = example.expected[row] < 0 && example.attention_targets[row] >= 0;
        const int parts = is_ambiguous ? looks_bit : example.expected[row] < 0 ? 0 : pronouns_bit | looks_bit;
        ASSERT_EQ(int{example.parts[row]}, parts);
        if (example.expected[row] < 0) continue;
        const std::string& noun = known().word(example.expected[row]);
        const int look = example.attention_targets[row];
        ASSERT_EQ(example.source[static_cast<std::size_t>(look)], example.expected[row]) << noun;
        const bool is_owner = noun.ends_with("'s") && nouns.contains(noun.substr(0, noun.size() - 2));
        ASSERT_TRUE(nouns.contains(noun) || is_owner || known().is_placeholder(example.expected[row]))
            << noun;
      } else if (example.source[row] == known().blank()) {
        ASSERT_EQ(int{example.parts[row]}, int{blanks_bit});
        const std::string& hidden = known().word(example.expected[row]);
        ASSERT_FALSE((is_pronoun(hidden) && hidden != "her") || hidden == "," || hidden == "." ||
                     hidden == "?" || hidden.starts_with('['))
            << hidden;
      } else {
        ASSERT_EQ(int{example.parts[row]}, int{words_bit});
        ASSERT_EQ(example.expected[row], example.source[row]);
      }
    }
  }
}

TEST(Pronouns, TheSharesAreAsMeant) {
  std::size_t tokens = 0;
  std::size_t blanks = 0;
  std::size_t asked = 0;
  std::size_t not_asked = 0;
  const std::vector<Example> examples = draw_examples(task(TaskKind::pronouns), Split::train, 20000);
  for (const Example& example : examples) {
    tokens += example.source.size();
    for (std::size_t row = 0; row < example.source.size(); ++row) {
      blanks += example.parts[row] == blanks_bit ? 1U : 0U;
      asked += (example.parts[row] & pronouns_bit) != 0 ? 1U : 0U;
      not_asked += example.expected[row] < 0 ? 1U : 0U;
    }
  }
  EXPECT_NEAR(static_cast<double>(tokens) / 20000, 12.0, 1.0);
  EXPECT_NEAR(static_cast<double>(blanks) / static_cast<double>(tokens), 0.09, 0.02);
  EXPECT_GT(asked, 11000U);
  EXPECT_LT(not_asked, asked / 3);
}

TEST(Pronouns, AThirdOfTheNounsAreUnknown) {
  std::size_t unknown = 0;
  std::size_t asked = 0;
  std::set<int> placeholders;
  for (const Example& example : draw_examples(task(TaskKind::pronouns), Split::train, 20000)) {
    for (std::size_t row = 0; row < example.source.size(); ++row) {
      if ((example.parts[row] & pronouns_bit) == 0) continue;
      ++asked;
      unknown += known().is_placeholder(example.expected[row]) ? 1U : 0U;
    }
    std::vector<int> of_sentence;
    for (const int id : example.source)
      if (known().is_placeholder(id)) of_sentence.push_back(id);
    placeholders.insert(of_sentence.begin(), of_sentence.end());
  }
  EXPECT_NEAR(static_cast<double>(unknown) / static_cast<double>(asked), 0.35, 0.04);
  EXPECT_GE(placeholders.size(), 250U);
}

/// Tokenising the text of an example must give the ids with which the example was drawn.
TEST(Pronouns, TextsTokenizeToTheSameIds) {
  for (const Example& example : some_of_both(5000)) {
    std::string text;
    for (const int id : example.source) {
      const std::string& word = known().word(id);
      const bool is_mark = word == "," || word == "." || word == "?";
      text += (text.empty() || is_mark ? "" : " ") + (word == "[blank]" ? "___" : word);
    }
    text[0] = static_cast<char>(std::toupper(text[0]));
    std::vector<Token> tokens = tokenize(text, TokenizerKind::word);
    known().assign_ids(tokens);
    ASSERT_EQ(tokens.size(), example.source.size()) << text;
    for (std::size_t i = 0; i < tokens.size(); ++i) ASSERT_EQ(tokens[i].id, example.source[i]) << text;
  }
}

/// The sentences of an example with its blanks filled in. Empty if the example has placeholders.
std::string canonical_of(const Example& example) {
  std::string text;
  for (std::size_t row = 0; row < example.source.size(); ++row) {
    if (known().is_placeholder(example.source[row])) return {};
    const bool is_blank = example.source[row] == known().blank();
    const std::string& word = known().word(is_blank ? example.expected[row] : example.source[row]);
    if (word != "," && word != "." && word != "?") text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

/// A held-out sentence must not even be a part of a longer one. That is only checked for sentences with
/// pronouns, because facts are repeated again and again.
TEST(Pronouns, TheSplitsShareNoSentence) {
  std::set<std::string> learned;
  std::string all_learned;
  for (const Example& example : draw_examples(task(TaskKind::pronouns), Split::train, 40000)) {
    const std::string text = canonical_of(example);
    if (!text.empty() && learned.insert(text).second) all_learned += " " + text + " \n";
  }
  EXPECT_GT(learned.size(), 10000U);
  int held_out = 0;
  int with_pronoun = 0;
  for (const Example& example : draw_examples(task(TaskKind::pronouns), Split::held_out, 5000)) {
    const std::string text = canonical_of(example);
    if (text.empty()) continue;
    ++held_out;
    ASSERT_FALSE(learned.contains(text)) << text;
    const bool has_pronoun = std::any_of(example.source.begin(), example.source.end(),
                                         [](int id) { return is_pronoun(known().word(id)); });
    if (!has_pronoun || ++with_pronoun > 400) continue;
    ASSERT_EQ(all_learned.find(" " + text + " "), std::string::npos) << text;
  }
  EXPECT_GT(held_out, 1000);
  EXPECT_GT(with_pronoun, 400);
}

TEST(Pronouns, ExampleSentencesBeginWithTheTwins) {
  const std::vector<std::string>& sentences = task(TaskKind::pronouns).example_sentences();
  EXPECT_GE(sentences.size(), 20U);
  EXPECT_EQ(sentences[0], "The animal didn't cross the street because it was too tired");
  EXPECT_EQ(sentences[1], "The animal didn't cross the street because it was too wide");
  EXPECT_EQ(std::set<std::string>(sentences.begin(), sentences.end()).size(), sentences.size());
}

TEST(Pronouns, TheListOfKnownWordsIsTheVocabulary) {
  std::set<std::string> listed;
  for (const WordGroup& kind : known_words()) {
    EXPECT_FALSE(kind.title.empty());
    EXPECT_FALSE(kind.words.empty()) << kind.title;
    for (const std::string& word : kind.words) EXPECT_TRUE(listed.insert(word).second) << word;
  }
  std::set<std::string> expected(known().words().begin(), known().words().end());
  std::erase_if(expected, [](const std::string& word) { return word.starts_with('['); });
  EXPECT_EQ(listed, expected);
}

}  // namespace
}  // namespace headscope
