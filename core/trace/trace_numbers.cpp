#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/parallel.h"
#include "core/trace/trace_lazy.h"

// Where the numbers of a stage are, or how they are computed again.

namespace headscope {
namespace {

/// So many numbers of a map are computed at once, and by one thread.
constexpr int floats_at_once = 256 * 1024;

int axis_size(const Trace& trace, const StageId& id, Axis axis) {
  const Architecture& a = trace.architecture();
  switch (axis) {
    case Axis::query_tokens:
    case Axis::key_tokens:
      return static_cast<int>(trace.tokens(id, axis).size());
    case Axis::d_model:
      return a.d_model;
    case Axis::d_head:
      return a.head_width();
    case Axis::d_value:
      return a.value_width();
    case Axis::concat:
      return a.concat_width();
    case Axis::d_ff:
      return a.d_ff;
    case Axis::single:
      return 1;
    case Axis::vocabulary:
      return static_cast<int>(trace.vocabulary().size());
    case Axis::table_rows:
      return static_cast<int>(trace.model().embedding_table.rows());
    case Axis::position_rows:
      return static_cast<int>(trace.model().positions_table.rows());
    case Axis::position_cols:
      return static_cast<int>(trace.model().positions_table.cols());
  }
  return 0;
}

/// Calls work(first row, rows) for all rows of a map, in blocks that are computed for it, by several threads.
template <class Work>
void for_blocks(const HeadMaps& maps, MapPart part, const Work& work) {
  const int at_once = std::clamp(floats_at_once / maps.n_cols(), 1, maps.n_rows());
  const int n_blocks = (maps.n_rows() + at_once - 1) / at_once;
  TaskPool pool(n_blocks == 1 ? 1 : 0);
  pool.for_each(n_blocks, [&](int block) {
    const int first = block * at_once;
    OwnedMatrix rows(std::min(at_once, maps.n_rows() - first), maps.n_cols());
    maps.rows(part, first, rows.rows, rows.values.data());
    work(first, rows.view());
  });
}

float magnitude_of(float value) {
  return std::abs(value);
}

bool is_finite(float value) {
  return std::abs(value) <= std::numeric_limits<float>::max();
}

/// The statistics of some rows, still without the limit of what counts.
StageStats stats_of(const MatrixView& rows, float below) {
  float minimum = std::numeric_limits<float>::infinity();
  float maximum = -minimum;
  float counted = 0.0F;
  StageStats stats;
  for (int row = 0; row < rows.rows; ++row) {
    for (const float value : rows.row(row)) {
      const bool counts = is_finite(value);
      stats.n_finite += counts ? 1 : 0;
      stats.n_hidden += value == -std::numeric_limits<float>::infinity() ? 1 : 0;
      minimum = counts && value < minimum ? value : minimum;
      maximum = counts && value > maximum ? value : maximum;
      const float magnitude = magnitude_of(value);
      counted = magnitude < below && magnitude > counted ? magnitude : counted;
    }
  }
  if (stats.n_finite == 0) return stats;
  stats.minimum = static_cast<double>(minimum);
  stats.maximum = static_cast<double>(maximum);
  stats.magnitude = std::max(std::abs(stats.minimum), std::abs(stats.maximum));
  stats.counted_magnitude = static_cast<double>(counted);
  return stats;
}

void add(const StageStats& some, StageStats& all) {
  if (some.n_finite > 0) {
    all.minimum = all.n_finite == 0 ? some.minimum : std::min(all.minimum, some.minimum);
    all.maximum = all.n_finite == 0 ? some.maximum : std::max(all.maximum, some.maximum);
  }
  all.magnitude = std::max(all.magnitude, some.magnitude);
  all.counted_magnitude = std::max(all.counted_magnitude, some.counted_magnitude);
  all.n_finite += some.n_finite;
  all.n_hidden += some.n_hidden;
}

/// Whether `value` is to stand for cells rather than `other` does.
bool stands_out(float value, float other) {
  return is_finite(value) && !(magnitude_of(value) <= magnitude_of(other));
}

/// The cell of an overview that covers a row: cell i covers the rows ⌊i · n_rows / n_cells⌋ … before the
/// next.
int covering(int row, int n_rows, int n_cells) {
  return static_cast<int>((static_cast<std::int64_t>(row + 1) * n_cells - 1) / n_rows);
}

/// The cells of an overview that some rows of a stage are covered by, as far as these rows tell.
struct OverviewPart {
  int first = 0;
  OwnedMatrix cells;
};

OverviewPart overview_of(int first, const MatrixView& rows, const Extent& extent, const OwnedMatrix& whole) {
  OverviewPart part;
  part.first = covering(first, extent.rows, whole.rows);
  part.cells =
      OwnedMatrix(covering(first + rows.rows - 1, extent.rows, whole.rows) - part.first + 1, whole.cols);
  std::ranges::fill(part.cells.values, std::numeric_limits<float>::quiet_NaN());
  const auto column = [&](int cell) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(cell) * extent.cols / whole.cols);
  };
  for (int row = 0; row < rows.rows; ++row) {
    const int at = covering(first + row, extent.rows, whole.rows) - part.first;
    const std::span<const float> values = rows.row(row);
    for (int col = 0; col < whole.cols; ++col) {
      float& cell = part.cells.at(at, col);
      for (std::size_t i = column(col); i < column(col + 1); ++i) {
        cell = stands_out(values[i], cell) ? values[i] : cell;
      }
    }
  }
  return part;
}

void add(const OverviewPart& part, OwnedMatrix& whole) {
  for (int row = 0; row < part.cells.rows; ++row) {
    for (int col = 0; col < whole.cols; ++col) {
      float& cell = whole.at(part.first + row, col);
      if (stands_out(part.cells.at(row, col), cell)) cell = part.cells.at(row, col);
    }
  }
}

}  // namespace

PassPlace Trace::place_of(const StageId& id) const {
  const StageInfo& line = info(id.kind);
  const PassBuffers& buffers = *parts_.buffers;
  const bool in_layer = line.scope >= StageScope::layer && !line.is_parameter;
  const auto l = static_cast<std::size_t>(id.layer);
  const LayerBuffers* layer = in_layer ? &buffers.stack(id.stack).layers[l] : nullptr;
  return {*parts_.model, parts_.unembedding.get(), buffers, layer, id};
}

MatrixView Trace::numbers_there(const StageId& id) const {
  const StageRecord& record = record_of(id.kind);
  if (record.numbers == nullptr) return {};
  PassPlace place = place_of(id);
  const MatrixView kept = record.numbers(place);
  const bool is_elsewhere = record.map_part || place.this_layer == nullptr;
  if (kept.data != nullptr || is_elsewhere || parts_.buffers->shape.kept != Kept::layer_inputs) return kept;
  if (record.info.scope >= StageScope::attention && id.attention == AttentionKind::self) {
    place.this_layer = &queries_and_keys_again(id);
    if (const MatrixView numbers = record.numbers(place); numbers.data != nullptr) return numbers;
  }
  place.this_layer = &layer_again(id);
  return record.numbers(place);
}

template <class Compute>
WholeLayer Trace::computed_again(const Compute& compute, const StageId& id) const {
  static const Matrix no_unembedding;
  const PassInputs inputs{*parts_.model, parts_.options, *parts_.masks, no_unembedding};
  TaskPool pool;
  return compute(inputs, *parts_.buffers, id.stack, id.layer, pool);
}

const LayerBuffers& Trace::layer_again(const StageId& id) const {
  return lazy_
      ->get(lazy_->layers, std::pair(id.stack, id.layer),
            [&] { return std::optional(computed_again(compute_layer, id)); })
      ->buffers;
}

const LayerBuffers& Trace::queries_and_keys_again(const StageId& id) const {
  return lazy_
      ->get(lazy_->queries_and_keys, std::pair(id.stack, id.layer),
            [&] { return std::optional(computed_again(compute_queries_and_keys, id)); })
      ->buffers;
}

const AttentionBuffers& Trace::queries_and_keys(const StageId& id) const {
  const bool is_self = id.attention == AttentionKind::self;
  const PassBuffers& buffers = *parts_.buffers;
  const LayerBuffers& kept = buffers.stack(id.stack).layers[static_cast<std::size_t>(id.layer)];
  if (buffers.shape.kept != Kept::layer_inputs) return is_self ? kept.self : kept.cross;
  return is_self ? queries_and_keys_again(id).self : layer_again(id).cross;
}

std::unique_ptr<const HeadMaps> Trace::head_maps(const StageId& id) const {
  const StageRecord& record = record_of(id.kind);
  if (!record.map_part || record.numbers(place_of(id)).data != nullptr) return nullptr;
  return std::make_unique<const HeadMaps>(
      attention_plan(architecture(), parts_.options, *parts_.masks, id.stack, id.layer, id.attention),
      queries_and_keys(id), id.head);
}

MatrixView Trace::kept(const StageId& id) const {
  const StageRecord& record = record_of(id.kind);
  const auto compute = [&]() -> std::optional<Matrix> {
    if (record.compute != nullptr) return record.compute(*this, id);
    const Extent size = extent(id);
    Matrix numbers(size.rows, size.cols);
    const auto maps = head_maps(id);
    for_blocks(*maps, *record.map_part, [&](int first, const MatrixView& rows) {
      numbers.middleRows(first, rows.rows) = eigen(rows);
    });
    return numbers;
  };
  return view_of(*lazy_->get(lazy_->stages, id, compute));
}

Extent Trace::extent(const StageId& id) const {
  if (!has(id)) return {};
  const StageInfo& line = info(id.kind);
  const bool is_projected = line.cols == Axis::d_model && !architecture().output_projection;
  if (line.is_parameter || is_projected) {
    const MatrixView numbers = numbers_there(id);
    return {numbers.rows, numbers.cols};
  }
  return {axis_size(*this, id, line.rows), axis_size(*this, id, line.cols)};
}

StageNumbers Trace::read(const StageId& id, const StageWindow& window) const {
  if (!has(id)) return {};
  const auto cut = [&window](const MatrixView& all) {
    return all.block(window.first_row, window.first_col, window.n_rows, window.n_cols);
  };
  const auto maps = head_maps(id);
  if (!maps) return {cut(value(id)), nullptr};
  OwnedMatrix rows(window.n_rows, maps->n_cols());
  maps->rows(*record_of(id.kind).map_part, window.first_row, window.n_rows, rows.values.data());
  const auto own = std::make_shared<const OwnedMatrix>(std::move(rows));
  return {own->view().block(0, window.first_col, window.n_rows, window.n_cols), own};
}

float Trace::number(const StageId& id, int row, int col) const {
  return read(id, {row, col, 1, 1}).view(0, 0);
}

std::optional<StageStats> Trace::stats(const StageId& id, const std::atomic<bool>* stop) const {
  if (!has(id)) return StageStats{};
  const auto stopped = [stop] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  const auto compute = [&]() -> std::optional<StageStats> {
    const float below = counted_below(*this, id);
    const auto maps = head_maps(id);
    if (!maps) return stats_of(value(id), below);
    StageStats all;
    std::mutex adding;
    for_blocks(*maps, *record_of(id.kind).map_part, [&](int /*first*/, const MatrixView& rows) {
      if (stopped()) return;
      const StageStats some = stats_of(rows, below);
      const std::lock_guard lock(adding);
      add(some, all);
    });
    return stopped() ? std::nullopt : std::optional(all);
  };
  const StageStats* stats = lazy_->get(lazy_->stats, id, compute);
  return stats == nullptr ? std::nullopt : std::optional(*stats);
}

OwnedMatrix Trace::overview(const StageId& id, int n_rows, int n_cols) const {
  const Extent size = extent(id);
  OwnedMatrix overview(std::min(n_rows, size.rows), std::min(n_cols, size.cols));
  std::ranges::fill(overview.values, std::numeric_limits<float>::quiet_NaN());
  if (overview.values.empty()) return overview;
  const auto maps = head_maps(id);
  if (!maps) {
    add(overview_of(0, value(id), size, overview), overview);
    return overview;
  }
  std::mutex adding;
  for_blocks(*maps, *record_of(id.kind).map_part, [&](int first, const MatrixView& rows) {
    const OverviewPart part = overview_of(first, rows, size, overview);
    const std::lock_guard lock(adding);
    add(part, overview);
  });
  return overview;
}

}  // namespace headscope
