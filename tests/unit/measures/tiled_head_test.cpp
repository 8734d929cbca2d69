#include "core/measures/tiled_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::pass;
using testing::random_request;

constexpr float hidden_score = -std::numeric_limits<float>::infinity();

OwnedMatrix random_matrix(std::mt19937& random, int rows, int cols, float spread) {
  std::normal_distribution<float> normal(0.0F, spread);
  OwnedMatrix numbers(rows, cols);
  for (float& number : numbers.values) number = normal(random);
  return numbers;
}

/// Softmax of a row times the values, by a formula other than the one under test: in long double, and without
/// subtracting the maximum if the scores are small enough for that.
std::vector<double> by_definition(const OwnedMatrix& scores, const OwnedMatrix& values, int row) {
  long double sum = 0.0L;
  std::vector<long double> output(static_cast<std::size_t>(values.cols), 0.0L);
  for (int key = 0; key < scores.cols; ++key) {
    const long double weight = std::exp(static_cast<long double>(scores.at(row, key)));
    sum += weight;
    for (int v = 0; v < values.cols; ++v)
      output[static_cast<std::size_t>(v)] += weight * static_cast<long double>(values.at(key, v));
  }
  std::vector<double> result;
  result.reserve(output.size());
  for (const long double number : output)
    result.push_back(sum > 0.0L ? static_cast<double>(number / sum) : 0.0);
  return result;
}

TEST(OnlineSoftmax, IsSoftmaxForTilesOfAnyWidth) {
  std::mt19937 random(71);
  std::uniform_int_distribution<int> small(1, 9);
  for (int i = 0; i < 300; ++i) {
    const int n_keys = small(random) * small(random);
    OwnedMatrix scores = random_matrix(random, small(random), n_keys, 8.0F);
    for (float& score : scores.values) {
      if (random() % 4 == 0) score = hidden_score;
    }
    const OwnedMatrix values = random_matrix(random, n_keys, small(random), 2.0F);
    OnlineSoftmax kept = initial_online_softmax(scores.rows, values.cols);
    const int tile = small(random);
    for (int key = 0; key < n_keys; key += tile) {
      const int n = std::min(tile, n_keys - key);
      add_tile(kept, scores.view().block(0, key, scores.rows, n),
               values.view().block(key, 0, n, values.cols));
      for (int row = 0; row < scores.rows; ++row) {
        const auto seen = scores.view().row(row).first(static_cast<std::size_t>(key + n));
        EXPECT_EQ(kept.maximum[static_cast<std::size_t>(row)],
                  static_cast<double>(*std::ranges::max_element(seen)));
      }
    }
    const std::vector<double> at_once = direct_attention(scores.view(), values.view());
    for (int row = 0; row < scores.rows; ++row) {
      const std::vector<double> wanted = by_definition(scores, values, row);
      for (int v = 0; v < values.cols; ++v) {
        const auto place = static_cast<std::size_t>(row * values.cols + v);
        EXPECT_NEAR(kept.normalized_output(row, v), wanted[static_cast<std::size_t>(v)], 1e-12);
        EXPECT_NEAR(at_once[place], wanted[static_cast<std::size_t>(v)], 1e-12);
      }
    }
  }
}

TEST(OnlineSoftmax, ARowThatSeesNothingStaysZero) {
  OwnedMatrix scores(1, 2);
  scores.values = {hidden_score, hidden_score};
  OwnedMatrix values(2, 1);
  values.values = {5.0F, 7.0F};
  OnlineSoftmax kept = initial_online_softmax(1, 1);
  add_tile(kept, scores.view(), values.view());
  EXPECT_EQ(kept.sum[0], 0.0);
  EXPECT_EQ(kept.normalized_output(0, 0), 0.0);
  scores.values = {hidden_score, 1.0F};
  add_tile(kept, scores.view(), values.view());
  EXPECT_EQ(kept.normalized_output(0, 0), 7.0) << "what was hidden before leaves no trace";
}

TEST(TiledHead, EveryTileOfAnyPassEndsInItsOutput) {
  std::mt19937 random(72);
  std::uniform_int_distribution<int> side(1, 7);
  int n_hidden = 0;
  for (int i = 0; i < 60; ++i) {
    Request request = random_request(random);
    request.attention.softmax = SoftmaxAxis::keys;
    request.attention.dropout = 0.0F;
    request.interventions = {};
    if (request.architecture.linear_attention) continue;  // it has no softmax
    const auto trace = pass(request);
    const StageId scores{StageKind::masked, trace->architecture().last_stack(), 0, AttentionKind::self, 0};
    StageId output = scores;
    output.kind = StageKind::output;
    const TiledHead head{trace, scores, side(random), side(random)};
    const ScoreTiles tiles = score_tiles(head).finish();
    ASSERT_EQ(tiles.hidden.size(), static_cast<std::size_t>(tiles.n_tiles()));
    n_hidden += tiles.n_hidden;
    std::int64_t cells = 0;
    for (int tile = 0; tile < tiles.n_tiles(); ++tile) {
      const StageWindow at = tile_bounds(head, tiles, tile);
      cells += static_cast<std::int64_t>(at.n_rows) * at.n_cols;
      const TileState state = tile_state(head, tile);
      ASSERT_EQ(state.kept.rows(), at.n_rows);
      if (tiles.hidden[static_cast<std::size_t>(tile)]) {
        EXPECT_TRUE(std::ranges::all_of(state.kept.rescaled, [](double factor) { return factor == 1.0; }));
      }
      if (tile % tiles.cols != tiles.cols - 1) continue;
      EXPECT_LE(difference_from_softmax(state), 1e-12);
      for (int row = 0; row < at.n_rows; ++row) {
        for (int v = 0; v < state.kept.width; ++v) {
          EXPECT_NEAR(state.kept.normalized_output(row, v), trace->number(output, at.first_row + row, v),
                      1e-4);
        }
      }
    }
    EXPECT_EQ(cells, static_cast<std::int64_t>(tiles.extent.rows) * tiles.extent.cols);
  }
  EXPECT_GT(n_hidden, 0);
}

TEST(TiledHead, TilesThatTheMaskHidesAreNotRead) {
  Request request;
  request.sentence = "a b c d e f";
  request.attention.mask.causal = true;
  const TiledHead head{pass(request), {StageKind::masked}, 2, 3};
  const ScoreTiles tiles = score_tiles(head).finish();
  // Keys 3–5 are hidden from queries 0–1 only.
  EXPECT_EQ(tiles.hidden, (std::vector<bool>{false, true, false, false, false, false}));
  EXPECT_EQ(tiles.n_keys_read, 15);
}

TEST(Traffic, IsWhatEachStepReadsAndWrites) {
  // 4 queries, 6 keys, K = 2, V = 3.
  const AttentionSizes sizes{4, 6, 2, 3};
  // Q 8 + K 12 → scores 24; scores 24 → weights 24; weights 24 + V 18 → output 12.
  EXPECT_EQ(naive_traffic(sizes).read, 8 + 12 + 24 + 24 + 18);
  EXPECT_EQ(naive_traffic(sizes).written, 24 + 24 + 12);
  // In blocks of 2 queries, all 6 keys and values are read twice.
  EXPECT_EQ(tiled_traffic(sizes, 12).read, 8 + 12 * (2 + 3));
  EXPECT_EQ(tiled_traffic(sizes, 12).written, 4 * (3 + 1));
  EXPECT_EQ(tile_footprint(sizes, 2, 3), 2 * 2 + 3 * 2 + 3 * 3 + 2 * 3 + 2 * 3 + 2 * 2);
}

OwnedMatrix matrix_of(const nlohmann::json& rows) {
  OwnedMatrix numbers(static_cast<int>(rows.size()), static_cast<int>(rows.at(0).size()));
  for (int r = 0; r < numbers.rows; ++r) {
    for (int c = 0; c < numbers.cols; ++c)
      numbers.at(r, c) = rows.at(static_cast<std::size_t>(r)).at(static_cast<std::size_t>(c)).get<float>();
  }
  return numbers;
}

/// Compares every tile with a worked example that another program computed in double precision.
TEST(OnlineSoftmax, AgreesWithAWorkedExample) {
  const std::filesystem::path file =
      std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference/textbooks.json";
  std::ifstream stream(file);
  if (!stream) GTEST_SKIP() << "no reference data here: " << file;
  const nlohmann::json books = nlohmann::json::parse(stream);
  const auto found = std::ranges::find_if(
      books, [](const auto& book) { return book.at("id") == "flash-attention-online-softmax"; });
  ASSERT_NE(found, books.end());
  const OwnedMatrix values = matrix_of(found->at("inputs").at("v"));
  OnlineSoftmax kept;
  for (const auto& tile : found->at("expected").at("tiles").at("recomputed")) {
    const OwnedMatrix scores = matrix_of(tile.at("scores"));
    const int first = tile.at("key_rows").at(0).get<int>();
    if (first == 0) kept = initial_online_softmax(scores.rows, values.cols);
    add_tile(kept, scores.view(), values.view().block(first, 0, scores.cols, values.cols));
    for (std::size_t row = 0; row < kept.sum.size(); ++row) {
      EXPECT_NEAR(kept.maximum[row], tile.at("m").at(row).get<double>(), 1e-6);
      EXPECT_NEAR(kept.sum[row], tile.at("l").at(row).get<double>(), 1e-6);
      EXPECT_NEAR(kept.rescaled[row], tile.at("rescale").at(row).get<double>(), 1e-6);
      for (int v = 0; v < values.cols; ++v) {
        const auto dimension = static_cast<std::size_t>(v);
        EXPECT_NEAR(kept.normalized_output(static_cast<int>(row), v),
                    tile.at("O_normalised").at(row).at(dimension).get<double>(), 1e-6);
        EXPECT_NEAR(kept.output[row * static_cast<std::size_t>(values.cols) + dimension],
                    tile.at("O_unnormalised").at(row).at(dimension).get<double>(), 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace headscope
