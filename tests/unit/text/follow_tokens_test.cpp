#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <random>

#include "core/text/tokenizer.h"
#include "tests/unit/instrumented.h"

namespace headscope {
namespace {

using Indices = std::vector<int>;

constexpr double max_milliseconds = is_instrumented ? 1000.0 : 50.0;

std::vector<Token> words(std::string_view sentence) {
  return tokenize(sentence, TokenizerKind::word);
}

Indices follow(std::string_view before, std::string_view after) {
  return align_tokens(words(before), words(after));
}

std::vector<Token> random_tokens(std::mt19937& random, int max_size, int n_words) {
  std::vector<Token> tokens(
      static_cast<std::size_t>(std::uniform_int_distribution<int>(0, max_size)(random)));
  for (Token& token : tokens)
    token.text = token.lookup = std::to_string(std::uniform_int_distribution<int>(0, n_words - 1)(random));
  return tokens;
}

/// The length of a longest common subsequence, computed with the quadratic table.
int longest_common(const std::vector<Token>& a, const std::vector<Token>& b) {
  std::vector<Indices> length(a.size() + 1, Indices(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      length[i][j] = a[i - 1].lookup == b[j - 1].lookup ? length[i - 1][j - 1] + 1
                                                        : std::max(length[i - 1][j], length[i][j - 1]);
    }
  }
  return length[a.size()][b.size()];
}

TEST(FollowTokens, FollowsInsertionRemovalAndReplacement) {
  EXPECT_EQ(follow("the cat sat", "the big cat sat"), (Indices{0, 2, 3}));
  EXPECT_EQ(follow("the big cat sat", "the cat sat"), (Indices{0, -1, 1, 2}));
  EXPECT_EQ(follow("it was tired", "it was wide"), (Indices{0, 1, -1}));
  EXPECT_EQ(follow("the cat", "The cat."), (Indices{0, 1}));
  EXPECT_EQ(follow("", "a"), Indices{});
  EXPECT_EQ(follow("a b", ""), (Indices{-1, -1}));
}

TEST(FollowTokens, IsMonotoneMatchesLookupsAndIsLongest) {
  std::mt19937 random(5);
  for (int run = 0; run < 3000; ++run) {
    const std::vector<Token> before = random_tokens(random, 24, 1 + run % 9);
    const std::vector<Token> after = random_tokens(random, 24, 1 + run % 9);
    const Indices followed = align_tokens(before, after);
    ASSERT_EQ(followed.size(), before.size());
    int last = -1;
    int n_matched = 0;
    for (std::size_t i = 0; i < followed.size(); ++i) {
      if (followed[i] < 0) continue;
      ASSERT_GT(followed[i], last);
      ASSERT_LT(followed[i], static_cast<int>(after.size()));
      ASSERT_EQ(after[static_cast<std::size_t>(followed[i])].lookup, before[i].lookup);
      last = followed[i];
      ++n_matched;
    }
    ASSERT_EQ(n_matched, longest_common(before, after));
  }
}

TEST(FollowTokens, InsertingInTheMiddleKeepsAllOthers) {
  std::mt19937 random(6);
  for (int run = 0; run < 500; ++run) {
    const std::vector<Token> before = random_tokens(random, 40, 1000);
    const auto place =
        std::uniform_int_distribution<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(before.size()))(random);
    std::vector<Token> after = before;
    after.insert(after.begin() + place, {Token{"new", "new", 0}, Token{"words", "words", 0}});
    const Indices followed = align_tokens(before, after);
    for (int i = 0; i < static_cast<int>(before.size()); ++i)
      ASSERT_EQ(followed[static_cast<std::size_t>(i)], i < place ? i : i + 2);
  }
}

TEST(FollowTokens, TheSameTokensStay) {
  std::mt19937 random(7);
  const std::vector<Token> tokens = random_tokens(random, 5000, 50);
  Indices identity(tokens.size());
  std::iota(identity.begin(), identity.end(), 0);
  EXPECT_EQ(align_tokens(tokens, tokens), identity);
}

/// Compares 5,000 tokens that have as little in common as possible. The best processor time of three runs
/// counts, because other programs share the machine.
TEST(FollowTokens, IsFastWhereAllDiffers) {
  std::mt19937 random(8);
  for (const int n_words : {2, 100, 1000000}) {
    std::vector<Token> before(5000);
    std::vector<Token> after(5000);
    for (std::vector<Token>* tokens : {&before, &after}) {
      for (Token& token : *tokens)
        token.lookup = std::to_string(std::uniform_int_distribution<int>(0, n_words - 1)(random));
    }
    before.front().lookup = after.front().lookup = "first";
    before.back().lookup = after.back().lookup = "last";
    double best = 1e9;
    Indices followed;
    for (int run = 0; run < 3; ++run) {
      const std::clock_t start = std::clock();
      followed = align_tokens(before, after);
      best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    RecordProperty("milliseconds_" + std::to_string(n_words), std::to_string(best));
    EXPECT_LT(best, max_milliseconds) << n_words << " different words";
    EXPECT_EQ(followed.front(), 0);
    EXPECT_EQ(followed.back(), 4999);
  }
}

}  // namespace
}  // namespace headscope
