#include "core/measures/tiled_head.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headscope {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

std::size_t place_of(int row, int width) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
}

double row_max(MatrixView scores, int row) {
  double greatest = nothing;
  for (const float score : scores.row(row)) greatest = std::max(greatest, static_cast<double>(score));
  return greatest;
}

void add_weighted(double weight, MatrixView values, int key, double* output) {
  for (int v = 0; v < values.cols; ++v) output[v] += weight * static_cast<double>(values(key, v));
}

StageNumbers values_of(const TiledHead& head, int first_key, int n_keys) {
  StageId values = head.scores;
  values.kind = StageKind::value;
  return head.trace->read(values, {first_key, 0, n_keys, head.trace->extent(values).cols});
}

bool is_hidden(MatrixView scores) {
  constexpr float nothing = -std::numeric_limits<float>::infinity();
  for (int r = 0; r < scores.rows; ++r) {
    if (std::ranges::any_of(scores.row(r), [](float score) { return score != nothing; })) return false;
  }
  return true;
}

}  // namespace

Traffic naive_traffic(const AttentionSizes& s) {
  const std::int64_t map = s.queries * s.keys;
  // Scores read Q and K, softmax reads the scores, and the output reads weights and V.
  const std::int64_t read = s.queries * s.width + s.keys * s.width + 2 * map + s.keys * s.value_width;
  return {read, 2 * map + s.queries * s.value_width};
}

Traffic tiled_traffic(const AttentionSizes& s, std::int64_t n_keys_read) {
  return {s.queries * s.width + n_keys_read * (s.width + s.value_width), s.queries * (s.value_width + 1)};
}

std::int64_t tile_footprint(const AttentionSizes& s, std::int64_t tile_queries, std::int64_t tile_keys) {
  return tile_queries * s.width + tile_keys * (s.width + s.value_width) + tile_queries * tile_keys +
         tile_queries * (s.value_width + 2);
}

double OnlineSoftmax::normalized_output(int row, int dimension) const {
  const double all = sum[static_cast<std::size_t>(row)];
  return all > 0.0 ? output[place_of(row, width) + static_cast<std::size_t>(dimension)] / all : 0.0;
}

OnlineSoftmax initial_online_softmax(int rows, int width, double sink) {
  OnlineSoftmax kept;
  const auto n = static_cast<std::size_t>(rows);
  kept.maximum.assign(n, sink);
  kept.sum.assign(n, sink == nothing ? 0.0 : 1.0);
  kept.rescaled.assign(n, 0.0);
  kept.output.assign(place_of(rows, width), 0.0);
  kept.width = width;
  return kept;
}

void add_tile(OnlineSoftmax& kept, MatrixView scores, MatrixView values) {
  for (int r = 0; r < kept.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    const double before = kept.maximum[row];
    const double now = std::max(before, row_max(scores, r));
    // exp(−∞ − −∞) would be NaN; an empty row has nothing to rescale.
    const double factor = before == nothing ? (now == nothing ? 1.0 : 0.0) : std::exp(before - now);
    kept.rescaled[row] = factor;
    if (now == nothing) continue;
    kept.maximum[row] = now;
    kept.sum[row] *= factor;
    double* output = kept.output.data() + place_of(r, kept.width);
    for (int v = 0; v < kept.width; ++v) output[v] *= factor;
    for (int key = 0; key < scores.cols; ++key) {
      const double weight = std::exp(static_cast<double>(scores(r, key)) - now);
      kept.sum[row] += weight;
      add_weighted(weight, values, key, output);
    }
  }
}

std::vector<double> direct_attention(MatrixView scores, MatrixView values, double sink) {
  std::vector<double> all(place_of(scores.rows, values.cols), 0.0);
  for (int r = 0; r < scores.rows; ++r) {
    const double greatest = std::max(row_max(scores, r), sink);
    if (greatest == nothing) continue;
    double sum = std::exp(sink - greatest);
    for (const float score : scores.row(r)) sum += std::exp(static_cast<double>(score) - greatest);
    double* output = all.data() + place_of(r, values.cols);
    for (int key = 0; key < scores.cols; ++key) {
      add_weighted(std::exp(static_cast<double>(scores(r, key)) - greatest) / sum, values, key, output);
    }
  }
  return all;
}

double sink_score(const Trace& trace, StageId head) {
  head.kind = StageKind::sink;
  return trace.has(head) ? static_cast<double>(trace.number(head, 0, 0)) : no_sink_score;
}

StageWindow tile_bounds(const TiledHead& head, const ScoreTiles& grid, int tile) {
  const int query = tile / grid.cols * head.queries;
  const int key = tile % grid.cols * head.keys;
  return {query, key, std::min(head.queries, grid.extent.rows - query),
          std::min(head.keys, grid.extent.cols - key)};
}

ScoreTiles tile_counts(const TiledHead& head) {
  ScoreTiles grid;
  grid.extent = head.trace->extent(head.scores);
  grid.rows = (grid.extent.rows + head.queries - 1) / head.queries;
  grid.cols = (grid.extent.cols + head.keys - 1) / head.keys;
  return grid;
}

Slices<ScoreTiles> score_tiles(TiledHead head) {
  ScoreTiles grid = tile_counts(head);
  grid.hidden.reserve(static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.cols));
  for (int row = 0; row < grid.rows; ++row) {
    const StageWindow first = tile_bounds(head, grid, row * grid.cols);
    const StageNumbers scores =
        head.trace->read(head.scores, {first.first_row, 0, first.n_rows, grid.extent.cols});
    for (int col = 0; col < grid.cols; ++col) {
      const StageWindow at = tile_bounds(head, grid, row * grid.cols + col);
      const bool hidden = is_hidden(scores.view.block(0, at.first_col, at.n_rows, at.n_cols));
      grid.hidden.push_back(hidden);
      if (hidden) ++grid.n_hidden;
      if (!hidden) grid.n_keys_read += at.n_cols;
    }
    co_yield (row + 1.0) / grid.rows;
  }
  co_return grid;
}

TileState tile_state(const TiledHead& head, int tile) {
  const ScoreTiles grid = tile_counts(head);
  const StageWindow last = tile_bounds(head, grid, tile);
  const StageNumbers scores =
      head.trace->read(head.scores, {last.first_row, 0, last.n_rows, grid.extent.cols});
  const StageNumbers values = values_of(head, 0, grid.extent.cols);
  TileState state;
  state.kept = initial_online_softmax(last.n_rows, values.view.cols, sink_score(*head.trace, head.scores));
  for (int each = tile - tile % grid.cols; each <= tile; ++each) {
    const StageWindow at = tile_bounds(head, grid, each);
    add_tile(state.kept, scores.view.block(0, at.first_col, at.n_rows, at.n_cols),
             values.view.block(at.first_col, 0, at.n_cols, values.view.cols));
  }
  state.at_once = direct_attention(scores.view, values.view, sink_score(*head.trace, head.scores));
  return state;
}

double difference_from_softmax(const TileState& state) {
  double greatest = 0.0;
  for (int row = 0; row < state.kept.rows(); ++row) {
    for (int v = 0; v < state.kept.width; ++v) {
      const auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(state.kept.width) +
                      static_cast<std::size_t>(v);
      greatest = std::max(greatest, std::abs(state.kept.normalized_output(row, v) - state.at_once[at]));
    }
  }
  return greatest;
}

}  // namespace headscope
