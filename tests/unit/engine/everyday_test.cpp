// Tests the model of the pronouns on sentences of everyday English, which were written independently of its
// grammar and are never changed. The tests count how often the shown head and the answer find the noun that a
// pronoun stands for, and check what the model predicts for blanks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <tuple>

#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "core/tasks/grammar.h"
#include "core/tasks/sentence.h"
#include "core/trace/guess.h"

namespace headscope {
namespace {

struct EverydaySentence {
  std::string text, pronoun, antecedent;
  int occurrence = 0;  ///< The index of the pronoun among equal words.
};

std::vector<EverydaySentence> everyday_sentences(const std::string& name) {
  std::ifstream file(HEADSCOPE_SOURCE_DIR "/tests/fixtures/everyday/" + name);
  std::vector<EverydaySentence> sentences;
  std::string line;
  std::getline(file, line);  // The names of the columns.
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    EverydaySentence one;
    std::string occurrence;
    std::getline(cells, one.text, '\t');
    std::getline(cells, one.pronoun, '\t');
    std::getline(cells, occurrence, '\t');
    std::getline(cells, one.antecedent, '\t');
    one.occurrence = std::stoi(occurrence);
    sentences.push_back(one);
  }
  return sentences;
}

std::string looked_up(const std::string& word) {
  return tokenize(word, TokenizerKind::word).front().lookup;
}

std::shared_ptr<const TrainedModel> pronouns_model() {
  static const auto opened = open_model("pronouns", {"/nowhere", HEADSCOPE_SOURCE_DIR "/assets/models"});
  return opened ? *opened : nullptr;
}

std::shared_ptr<const Trace> trace_of(const std::string& sentence) {
  static Engine engine(1);
  Request request;
  request.model = pronouns_model();
  request.sentence = sentence;
  request.architecture = request.model->model.architecture;
  const auto trace = engine.compute(request);
  EXPECT_TRUE(trace) << sentence;
  return *trace;
}

std::size_t greatest(std::span<const float> row) {
  return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

/// What the model says about the pronoun of a sentence.
struct Told {
  bool knows_words = false;
  bool looks = false;  ///< Whether the shown head gives its largest weight to the noun.
  bool says = false;   ///< Whether the answer is the noun.
  bool is_marked = false;
  float probability = 0.0F;  ///< Of the answer.
};

Told told_of(const EverydaySentence& one) {
  const TrainedModel& model = *pronouns_model();
  const StageId head{StageKind::weights, Stack::encoder, model.layer, AttentionKind::self, model.head};
  const auto trace = trace_of(one.text);
  const std::vector<Token>& tokens = trace->tokens();
  int row = -1;
  int seen = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].lookup == looked_up(one.pronoun) && seen++ == one.occurrence) row = static_cast<int>(i);
  }
  EXPECT_GE(row, 0) << one.text;
  if (row < 0) return {};
  // The noun may occur twice, or in the possessive.
  const std::string noun = looked_up(one.antecedent);
  const auto is_noun = [&](const std::string& word) { return word == noun || word == noun + "'s"; };
  const MatrixView logits = trace->value({.kind = StageKind::logits});
  return {std::ranges::all_of(tokens, [&](const Token& token) { return model.vocabulary.knows(token); }),
          is_noun(tokens[greatest(trace->value(head).row(row))].lookup),
          is_noun(trace->vocabulary()[greatest(logits.row(row))]), is_guess(*trace, row),
          std::ranges::max(trace->value({.kind = StageKind::probabilities}).row(row))};
}

struct Share {
  int n = 0, looks = 0, says = 0;
};

TEST(Everyday, TheHeadThatIsShownFindsTheNoun) {
  ASSERT_NE(pronouns_model(), nullptr);
  Share known, unknown;
  for (const EverydaySentence& one : everyday_sentences("sentences.tsv")) {
    const Told told = told_of(one);
    Share& share = told.knows_words ? known : unknown;
    ++share.n;
    share.looks += told.looks ? 1 : 0;
    share.says += told.says ? 1 : 0;
  }
  std::cout << "words known: " << known.looks << " of " << known.n << " seen, " << known.says
            << " said; with unknown words: " << unknown.looks << " of " << unknown.n << " seen, "
            << unknown.says << " said\n";
  EXPECT_EQ(known.n + unknown.n, 200);
  EXPECT_GE(known.n, 120);
  EXPECT_GE(known.looks, known.n * 0.95);
  EXPECT_GE(known.says, known.n * 0.94);
  EXPECT_GE(unknown.looks, unknown.n * 0.85);
  EXPECT_GE(unknown.says, unknown.n * 0.85);
}

struct Marked {
  int n = 0, marked = 0;
  void add(bool is_marked) {
    ++n;
    marked += is_marked ? 1 : 0;
  }
  double share() const { return 1.0 * marked / n; }
};

/// The sentences were written without regard to the grammar and independently of the mark, and they are never
/// edited. The odd lines of the file played no part in choosing the mark.
TEST(Everyday, TheMarkOfAGuessSeparatesMissesFromHits) {
  ASSERT_NE(pronouns_model(), nullptr);
  struct Count {
    Marked hits, misses, wrong_answers;
  };
  std::array<Count, 2> halves;
  int line = 1;
  for (const EverydaySentence& one : everyday_sentences("unseen.tsv")) {
    const Told told = told_of(one);
    Count& half = halves[static_cast<std::size_t>(++line % 2)];
    (told.looks ? half.hits : half.misses).add(told.is_marked);
    EXPECT_TRUE(told.is_marked || told.probability >= 0.49F) << one.text;
    if (!told.says) half.wrong_answers.add(told.is_marked);
  }
  Count all;
  for (const auto& [half, name] : {std::pair(halves[0], "even lines"), {halves[1], "odd lines"}}) {
    std::cout << name << ": " << half.hits.marked << " of " << half.hits.n << " hits and "
              << half.misses.marked << " of " << half.misses.n << " misses are marked\n";
    all.hits = {all.hits.n + half.hits.n, all.hits.marked + half.hits.marked};
    all.misses = {all.misses.n + half.misses.n, all.misses.marked + half.misses.marked};
    all.wrong_answers = {all.wrong_answers.n + half.wrong_answers.n,
                         all.wrong_answers.marked + half.wrong_answers.marked};
  }
  EXPECT_EQ(all.hits.n + all.misses.n, 440);
  EXPECT_GE(all.misses.n, 60);
  EXPECT_GE(all.misses.share(), 0.9);
  EXPECT_LE(all.hits.share(), 0.25);
  EXPECT_GE(all.wrong_answers.share(), 0.9);
}

TEST(Everyday, SizesAndPluralsAreUnderstood) {
  for (const auto& [text, pronoun, noun] :
       {std::tuple("The boys couldn't lift the presents because they were too heavy.", "they", "presents"),
        {"The boys couldn't reach the presents because they were too short.", "they", "boys"},
        {"The boys didn't open the presents because they were too tired.", "they", "boys"},
        {"The bird didn't fit in the nest because it was too small.", "it", "nest"},
        {"The mouse couldn't reach the cheese because it was too short.", "it", "mouse"},
        {"The giraffe couldn't enter the barn because it was too tall.", "it", "giraffe"},
        {"The giraffe didn't fit in the barn because it was too tall.", "it", "giraffe"}}) {
    const Told told = told_of({text, pronoun, noun});
    EXPECT_TRUE(told.looks && told.says && !told.is_marked) << text;
  }
}

TEST(Everyday, WhereANounThatMayBeMeantIsUnknownTheAnswerIsAGuess) {
  ASSERT_NE(pronouns_model(), nullptr);
  EXPECT_TRUE(told_of({"The city councilmen refused the demonstrators a permit because they feared violence",
                       "they", "councilmen"})
                  .is_marked);
}

TEST(Everyday, ContractionsAndQuestionMarksAreKnown) {
  ASSERT_NE(pronouns_model(), nullptr);
  for (const char* word : {"didn't", "wasn't", "weren't", "isn't", "aren't", "can't", "couldn't", "won't",
                           "wouldn't", "doesn't", "don't", "hasn't", "hadn't", "haven't", "?"})
    EXPECT_TRUE(pronouns_model()->vocabulary.find(word)) << word;
  const Told told =
      told_of({"Couldn't the trophy fit in the suitcase because it wasn't big enough?", "it", "suitcase"});
  EXPECT_TRUE(told.looks && told.says);
}

/// In held-out sentences about facts, the prediction for the blank must be a true one.
TEST(Everyday, HeldOutFactsAreKnown) {
  ASSERT_NE(pronouns_model(), nullptr);
  const Grammar grammar = compile_grammar();
  RandomStream random(77, "facts");
  int n = 0;
  int right = 0;
  while (n < 200) {
    const Sentence sentence = draw_sentence(grammar, random);
    const bool is_of_facts = sentence.frame->text.starts_with("FACT");
    if (!is_of_facts || split_of_sentence(canonical_text(grammar, sentence)) != Split::held_out) continue;
    std::string text;
    int subject = -1;
    std::size_t blank = 0;
    for (std::size_t row = 0; row < sentence.words.size(); ++row) {
      const bool is_first_key = subject < 0 && sentence.is_key[row] != 0U;
      if (is_first_key) {
        subject = sentence.words[row - 2];
        blank = row;
      }
      text += is_first_key ? "___ " : grammar.words[static_cast<std::size_t>(sentence.words[row])] + " ";
    }
    const auto trace = trace_of(text);
    const MatrixView logits = trace->value({.kind = StageKind::logits});
    const std::string said = trace->vocabulary()[greatest(logits.row(static_cast<int>(blank)))];
    const auto fact = std::ranges::find(grammar.facts, subject, &CompiledFact::subject);
    ASSERT_NE(fact, grammar.facts.end()) << text;
    ++n;
    right += std::ranges::any_of(fact->attributes,
                                 [&](int id) { return grammar.words[static_cast<std::size_t>(id)] == said; })
                 ? 1
                 : 0;
  }
  EXPECT_GE(right, n * 9 / 10);
}

/// If the sentence is not about a fact, the likeliest words must be of a kind that fits, and never a
/// placeholder for an unknown word.
TEST(Everyday, ABlankOutsideOfTheFactsIsFilledWithWhatFits) {
  ASSERT_NE(pronouns_model(), nullptr);
  const Grammar grammar = compile_grammar();
  const Vocabulary& words = pronouns_model()->vocabulary;
  for (const char* sentence :
       {"The dog chased the ___ because it was hungry", "The ___ was tired because it was old",
        "Anna bought a ___ and sold it last year", "The boy opened the ___ and looked into it",
        "When the ___ cried, the woman picked it up"}) {
    const auto trace = trace_of(sentence);
    const auto blank =
        std::ranges::find_if(trace->tokens(), [](const Token& t) { return is_blank(t.lookup); });
    const auto row =
        trace->value({.kind = StageKind::logits}).row(static_cast<int>(blank - trace->tokens().begin()));
    std::vector<int> order(row.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::ranges::partial_sort(order, order.begin() + 20, std::greater<>(),
                              [&](int id) { return row[static_cast<std::size_t>(id)]; });
    int nouns = 0;
    for (int i = 0; i < 20; ++i) {
      const int id = order[static_cast<std::size_t>(i)];
      EXPECT_FALSE(words.is_placeholder(id)) << sentence << " " << words.word(id);
      if (i < 10) nouns += grammar.kinds_of_word(id) != 0 ? 1 : 0;
    }
    EXPECT_GE(nouns, 8) << sentence;
    EXPECT_EQ(trace->expectation(static_cast<int>(blank - trace->tokens().begin())), Expectation::guess);
  }
}

TEST(Everyday, WhatLiesOutsideOfTheTaskIsAGuess) {
  const auto demand_at = [](const std::string& sentence, const std::string& word) {
    const auto trace = trace_of(sentence);
    const auto at = std::ranges::find(trace->tokens(), word, &Token::lookup) - trace->tokens().begin();
    return trace->expectation(static_cast<int>(at));
  };
  EXPECT_EQ(demand_at("The animal didn't cross the street because it was too tired", "it"),
            Expectation::learned);
  EXPECT_EQ(demand_at("The sky is ___ and the grass is green", "___"), Expectation::learned);
  EXPECT_EQ(demand_at("Colourless green ideas sleep and it rains furiously", "it"), Expectation::guess);
  EXPECT_EQ(demand_at("Tom met Peter because he was tired", "he"), Expectation::guess)
      << "either may be meant";
  EXPECT_EQ(demand_at("The animal didn't cross the street because it was too tired", "street"),
            Expectation::repeats);
  EXPECT_EQ(demand_at("The girl lost her ring", "her"), Expectation::guess) << "whose it is was not learned";
  EXPECT_EQ(demand_at("The boy lost his ring", "his"), Expectation::guess) << "whose it is was not learned";
}

}  // namespace
}  // namespace headscope
