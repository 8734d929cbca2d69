#include "core/measures/tiled_head.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

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

double sink_score(const Trace& trace, StageId head) {
  head.kind = StageKind::sink;
  return trace.has(head) ? static_cast<double>(trace.number(head, 0, 0)) : no_sink_score;
}

TilePlace place_of_tile(const TiledHead& head, const ScoreTiles& grid, int tile) {
  const int query = tile / grid.cols * head.queries;
  const int key = tile % grid.cols * head.keys;
  return {query, std::min(head.queries, grid.extent.rows - query), key,
          std::min(head.keys, grid.extent.cols - key)};
}

ScoreTiles score_tiles(const TiledHead& head, const std::atomic<bool>* stop) {
  ScoreTiles grid;
  grid.extent = head.trace->extent(head.scores);
  grid.rows = (grid.extent.rows + head.queries - 1) / head.queries;
  grid.cols = (grid.extent.cols + head.keys - 1) / head.keys;
  grid.hidden.reserve(static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.cols));
  for (int row = 0; row < grid.rows; ++row) {
    if (stop != nullptr && *stop) return grid;
    const TilePlace first = place_of_tile(head, grid, row * grid.cols);
    const StageNumbers scores =
        head.trace->read(head.scores, {first.first_query, 0, first.n_queries, grid.extent.cols});
    for (int col = 0; col < grid.cols; ++col) {
      const TilePlace at = place_of_tile(head, grid, row * grid.cols + col);
      const bool hidden = is_hidden(scores.view.block(0, at.first_key, at.n_queries, at.n_keys));
      grid.hidden.push_back(hidden);
      if (hidden) ++grid.n_hidden;
      if (!hidden) grid.keys_taken_in += at.n_keys;
    }
  }
  return grid;
}

TileState tile_state(const TiledHead& head, const ScoreTiles& grid, int tile) {
  const TilePlace last = place_of_tile(head, grid, tile);
  const StageNumbers scores =
      head.trace->read(head.scores, {last.first_query, 0, last.n_queries, grid.extent.cols});
  const StageNumbers values = values_of(head, 0, grid.extent.cols);
  TileState state;
  state.kept = nothing_seen(last.n_queries, values.view.cols, sink_score(*head.trace, head.scores));
  for (int each = tile - tile % grid.cols; each <= tile; ++each) {
    const TilePlace at = place_of_tile(head, grid, each);
    take_in(state.kept, scores.view.block(0, at.first_key, at.n_queries, at.n_keys),
            values.view.block(at.first_key, 0, at.n_keys, values.view.cols));
  }
  state.at_once = attended_at_once(scores.view, values.view, sink_score(*head.trace, head.scores));
  return state;
}

double difference_from_softmax(const TileState& state) {
  double greatest = 0.0;
  for (int row = 0; row < state.kept.rows(); ++row) {
    for (int v = 0; v < state.kept.width; ++v) {
      const auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(state.kept.width) +
                      static_cast<std::size_t>(v);
      greatest = std::max(greatest, std::abs(state.kept.normalised(row, v) - state.at_once[at]));
    }
  }
  return greatest;
}

}  // namespace headscope
