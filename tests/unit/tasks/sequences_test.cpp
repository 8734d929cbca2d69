#include <gtest/gtest.h>

#include <set>

#include "tests/unit/tasks/drawn_examples.h"

namespace headscope {
namespace {

/// The number of tokens before the first repeated one.
std::size_t words_before_repetition(const std::vector<int>& ids) {
  std::set<int> seen;
  while (seen.size() < ids.size() && seen.insert(ids[seen.size()]).second) continue;
  return seen.size();
}

TEST(Copying, WordsComeAgainInTheirOrder) {
  const Task& copying = task(TaskKind::copying);
  std::set<std::size_t> lengths, repeated;
  int cut_off = 0;
  int whole = 0;
  for (const Example& example : draw_examples(copying, Split::train, 4000)) {
    EXPECT_TRUE(example.target.empty());
    const std::size_t n = words_before_repetition(example.source);
    lengths.insert(n);
    const std::size_t rows = example.source.size();
    ASSERT_GT(rows, n + 1);
    const auto earlier = std::find(example.source.begin(), example.source.end(), example.source[n]);
    const auto again_from = static_cast<std::size_t>(earlier - example.source.begin());
    const std::size_t n_again = n - again_from;
    repeated.insert(n_again);
    if (again_from == 0) ++whole;
    ASSERT_LE(rows, n + n_again);
    if (rows < n + n_again) ++cut_off;
    const std::set<int> different(example.source.begin(), example.source.end());
    EXPECT_EQ(different.size(), n) << "a word that repeats by chance would have two words after it";
    for (std::size_t row = 0; row < rows; ++row) {
      if (row >= n) {
        EXPECT_EQ(example.source[row], example.source[row - n_again]);
      }
      if (row + 1 < rows) {
        EXPECT_EQ(example.expected[row], example.source[row + 1]) << "the next token";
      }
      const bool is_end = row + 1 == n + n_again;
      EXPECT_EQ(int{example.parts[row]}, is_end ? 0 : row >= n ? 1 : 2);
    }
    if (rows < n + n_again) {
      EXPECT_EQ(example.expected.back(), example.source[rows - n_again]) << "what would follow";
    }
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(repeated, (std::set<std::size_t>{3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_GT(whole, 1000) << "all words come again";
  EXPECT_LT(whole, 2400);
  EXPECT_GT(cut_off, 1000);
  EXPECT_LT(cut_off, 3000);
}

TEST(Reversing, TheTargetIsTheSourceBackwards) {
  const Task& reversing = task(TaskKind::reversing);
  const Vocabulary& vocabulary = reversing.vocabulary();
  std::set<std::size_t> lengths;
  int with_repeated = 0;
  for (const Example& example : draw_examples(reversing, Split::train, 4000)) {
    const std::size_t n = example.source.size();
    lengths.insert(n);
    with_repeated += words_before_repetition(example.source) < n ? 1 : 0;
    ASSERT_EQ(example.target.size(), n + 1);
    EXPECT_EQ(example.target[0], vocabulary.begin());
    EXPECT_EQ(example.expected[n], vocabulary.end());
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(example.expected[i], example.source[n - 1 - i]);
      EXPECT_EQ(example.target[i + 1], example.expected[i]);
      EXPECT_EQ(int{example.parts[i]}, 1);
    }
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_GT(with_repeated, 400);
  EXPECT_LT(with_repeated, 1200);
}

std::vector<Expectation> expectations(TaskKind kind, const std::string& source,
                                      const std::string& target = "") {
  const Task& one = task(kind);
  const auto ids = [&](const std::string& text) {
    std::vector<Token> tokens = tokenize(text, TokenizerKind::word);
    one.vocabulary().assign_ids(tokens);
    std::vector<int> all;
    for (const Token& token : tokens) all.push_back(token.id);
    return all;
  };
  return one.rows(ids(source), ids(target)).expectations;
}

TEST(Copying, ListsThatItDidNotLearnAreGuesses) {
  using enum Expectation;
  EXPECT_EQ(expectations(TaskKind::copying, "cat moon egg fish cat moon"),
            (std::vector{repeats, repeats, repeats, repeats, learned, learned}))
      << "nothing is asked of the words of the list before they come again";
  for (const char* unlearned : {"cat moon egg cat moon", "cat cat cat cat", "cat moon cat moon cat",
                                "cat moon egg fish dog sun cow pen map star owl cat moon egg"}) {
    for (const Expectation expectation : expectations(TaskKind::copying, unlearned))
      EXPECT_EQ(expectation, guess) << unlearned;
  }
  EXPECT_EQ(expectations(TaskKind::copying, "cat moon egg fish dog sun cow pen map star cat moon").back(),
            learned)
      << "ten words";
  EXPECT_EQ(expectations(TaskKind::copying, "cat moon egg fish cat fish").back(), guess) << "another order";
}

TEST(Reversing, ListsThatItDidNotLearnAreGuesses) {
  using enum Expectation;
  const auto whole = expectations(TaskKind::reversing, "cat moon cat", "[begin] cat moon cat");
  EXPECT_EQ(whole, std::vector(4, learned)) << "words may repeat";
  EXPECT_EQ(expectations(TaskKind::reversing, "cat moon egg", "[begin] moon egg"),
            (std::vector{learned, guess, guess}))
      << "from where the target departs";
  const std::string eleven = "cat moon egg fish dog sun cow pen map star owl";
  EXPECT_EQ(expectations(TaskKind::reversing, eleven, "[begin] owl"), std::vector(2, guess));
}

TEST(Sequences, TheSplitsShareNoSequence) {
  for (const TaskKind kind : {TaskKind::copying, TaskKind::reversing}) {
    const Task& one = task(kind);
    std::set<std::vector<int>> learned;
    const auto first_words = [&](const Example& example) {
      if (kind == TaskKind::reversing) return example.source;
      const auto n = static_cast<std::ptrdiff_t>(words_before_repetition(example.source));
      return std::vector<int>(example.source.begin(), example.source.begin() + n);
    };
    // The examples cover 2 % of all sequences of three of the 60 words, so the two splits would share some if
    // both were drawn alike.
    for (const Example& example : draw_examples(one, Split::train, 60000))
      learned.insert(first_words(example));
    int short_ones = 0;
    for (const Example& example : draw_examples(one, Split::held_out, 20000, 2)) {
      const std::vector<int> words = first_words(example);
      const bool has_unknown = std::any_of(words.begin(), words.end(),
                                           [&](int id) { return one.vocabulary().is_placeholder(id); });
      if (has_unknown) continue;
      EXPECT_FALSE(learned.contains(words)) << words_of(one.vocabulary(), words);
      if (words.size() == 3) ++short_ones;
    }
    if (kind == TaskKind::reversing) {
      EXPECT_GT(short_ones, 1000);
    }
  }
}

}  // namespace
}  // namespace headscope
