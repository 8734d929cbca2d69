#include "core/tasks/text_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace headscope {
namespace {

constexpr int context = 8;

/// Documents whose ids are all different, so that each shows where it comes from.
std::vector<DocumentIds> documents_of_lengths(std::initializer_list<int> lengths, int first) {
  std::vector<DocumentIds> documents;
  for (const int n : lengths) {
    DocumentIds& ids = documents.emplace_back(static_cast<std::size_t>(n));
    std::iota(ids.begin(), ids.end(), first);
    first += n;
  }
  return documents;
}

TextExamples examples() {
  return {documents_of_lengths({1, 2, 5, 9, 10, 17, 30}, 0),
          documents_of_lengths({2, 8, 9, 10, 13, 40}, 1000),
          2000,
          context,
          0,
          7};
}

TEST(TextExamples, AnEpochTakesEveryWindowOnce) {
  const TextExamples text = examples();
  const auto n = static_cast<int>(text.n_windows());
  RandomStream unused(0);
  for (const int size : {1, 3, n, n + 2}) {
    std::map<int, int> seen;     // by the first id, which no two windows share
    const int steps = n * size;  // as many epochs as a batch has windows
    for (int step = 0; step < steps / size; ++step) {
      for (const Example& example : text.batch(unused, step, size)) ++seen[example.source.front()];
    }
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(n));
    for (const auto& [first, count] : seen) ASSERT_EQ(count, size);
  }
}

TEST(TextExamples, EveryIdOfADocumentIsWantedAndNoneOfAnother) {
  const TextExamples text = examples();
  RandomStream unused(0);
  std::set<int> expected;
  for (const Example& example : text.batch(unused, 0, static_cast<int>(text.n_windows()))) {
    ASSERT_LE(example.source.size(), static_cast<std::size_t>(context));
    for (std::size_t i = 0; i < example.source.size(); ++i) {
      ASSERT_EQ(example.expected[i], example.source[i] + 1);
      expected.insert(example.expected[i]);
    }
  }
  // The first id of each document is wanted nowhere, and the document of one id is left out.
  EXPECT_EQ(expected.size(), 1U + 4U + 8U + 9U + 16U + 29U);
}

TEST(TextExamples, SomeWindowsRepeatAPassageOfThemselves) {
  constexpr int max_length = 64;
  constexpr int n_drawn = 1000;
  const TextExamples text(documents_of_lengths({3, 30, 65, 200}, 0), {}, 2000, max_length, n_drawn, 7);
  RandomStream unused(0);
  const std::vector<Example> all = text.batch(unused, 0, n_drawn);
  std::set<std::size_t> lengths;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const std::vector<int>& source = all[at].source;
    const std::vector<int>& expected = all[at].expected;
    const bool is_repeated = at < n_drawn / 5 ? at % 2 == 1 : at % 16 == 15;
    std::size_t length = 1;
    while (length < expected.size() && expected[length] == expected[length - 1] + 1) ++length;
    ASSERT_EQ(length < expected.size(), is_repeated) << at;
    for (std::size_t i = 1; i < source.size(); ++i) ASSERT_EQ(source[i], expected[i - 1]);
    if (!is_repeated) continue;
    for (std::size_t i = length; i < expected.size(); ++i) ASSERT_EQ(expected[i], expected[i - length]);
    ASSERT_LE(length, source.size() / 2);
    ASSERT_LT(expected[length - 1], source.front() + 1 + static_cast<int>(source.size()));
    ASSERT_GT(expected[0], source.front());
    lengths.insert(length);
  }
  EXPECT_GT(lengths.size(), 10U);
}

TEST(TextExamples, HeldOutIdsAreWantedOnceAfterHalfAContext) {
  std::map<int, int> expected;
  for (const Example& example : examples().held_out_windows()) {
    const bool is_beginning = example.expected.front() >= 0;
    for (std::size_t i = 0; i < example.source.size(); ++i) {
      if (example.expected[i] < 0) continue;
      ASSERT_EQ(example.expected[i], example.source[i] + 1);
      ASSERT_TRUE(is_beginning || i >= context / 2);
      ++expected[example.expected[i]];
    }
  }
  EXPECT_EQ(expected.size(), 1U + 7U + 8U + 9U + 12U + 39U);
  for (const auto& [id, count] : expected) EXPECT_EQ(count, 1) << id;
}

}  // namespace
}  // namespace headscope
