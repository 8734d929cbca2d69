#include "core/trace/number_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::between;
using testing::pass;
using testing::random_request;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// A window of random size and position.
StageWindow random_window(std::mt19937& random, const Extent& size) {
  StageWindow window{between(random, 0, size.rows - 1), between(random, 0, size.cols - 1), 1, 1};
  window.n_rows = between(random, 1, size.rows - window.first_row);
  window.n_cols = between(random, 1, size.cols - window.first_col);
  return window;
}

/// Checks that every cell of a window equals expected(row, column). NaN equals NaN here.
template <class Expected>
void expect_window(const NumberSource& source, const StageWindow& window, const Expected& expected,
                   const std::string& what) {
  const StageNumbers numbers = source.read(window);
  ASSERT_EQ(numbers.view.rows, window.n_rows) << what;
  ASSERT_EQ(numbers.view.cols, window.n_cols) << what;
  for (int row = 0; row < window.n_rows; ++row) {
    for (int col = 0; col < window.n_cols; ++col) {
      const float wanted = expected(window.first_row + row, window.first_col + col);
      const float found = numbers.view(row, col);
      ASSERT_TRUE(wanted == found || (std::isnan(wanted) && std::isnan(found)))
          << what << ": " << found << " instead of " << wanted;
    }
  }
}

/// A weight as it should be shown, determined from the whole maps.
float shown_cell(const Trace& trace, const StageId& id, int row, int col) {
  const float value = trace.value(id)(row, col);
  if (!info(id.kind).is_share || value != 0.0F) return value;
  StageId scores = id;
  scores.kind = StageKind::masked;
  const bool is_hidden =
      !trace.mask(id).is_visible(id.head, row, col) || trace.value(scores)(row, col) <= -hidden_magnitude;
  return is_hidden ? -std::numeric_limits<float>::infinity() : value;
}

TEST(NumberSource, WindowsOfAStageAreThoseOfTheWholeAlsoWhereThePassKeptLittle) {
  std::mt19937 random(21);
  int n_little = 0;
  for (int round = 0; round < 60; ++round) {
    Request request = random_request(random);
    const auto whole = pass(request);
    request.max_bytes = whole->bytes() - 1;
    const auto little = Engine(1).compute(request, TooLong::refuse);
    if (!little) continue;
    ++n_little;
    for (const StageId& id : whole->stages()) {
      if (whole->extent(id).empty()) continue;
      const StageWindow window = random_window(random, whole->extent(id));
      const auto expected = [&](int row, int col) { return shown_cell(*whole, id, row, col); };
      expect_window(*stage_source(*whole, id), window, expected, path(id));
      expect_window(*stage_source(**little, id), window, expected, path(id) + ", computed again");
    }
  }
  EXPECT_GT(n_little, 10);
}

/// The old index of each row or column, found by words that occur once in either sentence.
std::vector<int> places_before(const std::vector<Token>& now, const std::vector<Token>& before) {
  std::vector<int> places;
  for (const Token& token : now) {
    const auto found = std::ranges::find(before, token.lookup, &Token::lookup);
    places.push_back(found == before.end() ? -1 : static_cast<int>(found - before.begin()));
  }
  return places;
}

TEST(NumberSource, WindowsOfADifferenceCompareTwoHeadsTokenByToken) {
  Request request = testing::small_request();
  request.sentence = "one two three four five six seven eight";
  const auto before = pass(request);
  request.sentence = "one two new three four six seven also new2 eight";
  request.attention.mask.causal = true;
  const auto now = pass(request);
  const std::vector<int> places = places_before(now->tokens(), before->tokens());
  const StageId id{.kind = StageKind::masked, .head = 1};
  const StageId id_before{.kind = StageKind::masked, .head = 3};
  const auto source = difference_source({*now, id, *before, id_before});
  ASSERT_TRUE(source) << source.error().message;
  std::mt19937 random(22);
  const auto expected = [&](int row, int col) {
    const int old_row = places[static_cast<std::size_t>(row)];
    const int old_col = places[static_cast<std::size_t>(col)];
    if (old_row < 0 || old_col < 0) return nan;
    const float value = now->value(id)(row, col);
    const float old = before->value(id_before)(old_row, old_col);
    return std::isfinite(value) && std::isfinite(old) ? value - old : nan;
  };
  for (int round = 0; round < 200; ++round) {
    expect_window(**source, random_window(random, (*source)->extent()), expected, "difference");
  }
}

TEST(NumberSource, StatisticsOfADifferenceAreThoseOfItsCells) {
  Request request = testing::small_request();
  const auto before = pass(request);
  ++request.architecture.seed;
  const auto now = pass(request);
  const StageId id{.kind = StageKind::raw, .head = 2};
  const auto source = difference_source({*now, id, *before, id});
  ASSERT_TRUE(source);
  const OwnedMatrix all = *testing::difference(*now, *before, id);
  const auto [least, greatest] = std::ranges::minmax(all.values);
  const auto stats = (*source)->stats();
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->minimum, static_cast<double>(least));
  EXPECT_EQ(stats->maximum, static_cast<double>(greatest));
  EXPECT_EQ(stats->n_finite, static_cast<std::int64_t>(all.values.size()));
}

TEST(NumberSource, BlocksOfRowsAreAllRowsOnce) {
  std::mt19937 random(23);
  for (int round = 0; round < 200; ++round) {
    const int first = between(random, 0, 50);
    const int n = between(random, 0, 3000);
    std::vector<std::atomic<int>> times(static_cast<std::size_t>(first + n));
    const bool complete =
        for_row_blocks(first, n, between(random, 1, 100'000), nullptr, [&](int begin, int count) {
          for (int row = begin; row < begin + count; ++row) ++times[static_cast<std::size_t>(row)];
        });
    EXPECT_TRUE(complete);
    for (int row = 0; row < first + n; ++row) {
      ASSERT_EQ(times[static_cast<std::size_t>(row)], row >= first ? 1 : 0) << row;
    }
  }
}

}  // namespace
}  // namespace headscope
