#include <cstdint>
#include <limits>

#include "core/model/head_maps.h"
#include "core/tensor/parallel.h"
#include "core/trace/axis_length.h"
#include "core/trace/number_source.h"
#include "core/trace/trace_lazy.h"
#include "core/trace/unembedding.h"

// Finds the numbers of a stage where they are stored, or computes them again.

namespace headscope {
namespace {

AxisSizes sizes_of(const Trace& trace) {
  const PassShape& shape = trace.kept().shape;
  return {.architecture = trace.architecture(),
          .table_rows = trace.model().embedding_table.n_rows(),
          .n_words = static_cast<int>(trace.vocabulary().size()),
          .n_source = shape.n_source,
          .n_target = shape.n_target};
}

}  // namespace

PassInputs Trace::pass_inputs() const {
  static const Linear no_unembedding;
  return {*parts_.model, parts_.options, *parts_.masks,
          parts_.unembedding ? *parts_.unembedding->linear : no_unembedding, parts_.edits.get()};
}

PassPlace Trace::place_of(const StageId& id) const {
  const StageInfo& line = info(id.kind);
  const PassBuffers& buffers = *parts_.buffers;
  const bool in_layer = line.scope >= StageScope::layer && !line.is_parameter;
  const auto l = static_cast<std::size_t>(id.layer);
  const LayerBuffers* layer = in_layer ? &buffers.stack(id.stack).layers[l] : nullptr;
  return {*parts_.model, parts_.unembedding.get(), buffers, layer, id};
}

MatrixView Trace::kept_by_pass(const StageId& id) const {
  const StageRecord& record = record_of(id.kind);
  return record.numbers == nullptr ? MatrixView{} : record.numbers(place_of(id));
}

bool Trace::keeps_layers() const {
  return parts_.buffers->shape.kept != Kept::layer_inputs;
}

bool Trace::is_made_by_rows(const StageId& id) const {
  const StageRecord& record = record_of(id.kind);
  return record.compute != nullptr || (record.map_part && kept_by_pass(id).data == nullptr);
}

bool Trace::is_projected(const StageId& id) const {
  if (info(id.kind).scope < StageScope::attention || id.attention != AttentionKind::self) return false;
  switch (id.kind) {
    case StageKind::norm:
    case StageKind::latent:
    case StageKind::normed_latent:
    case StageKind::shared_key:
    case StageKind::query:
    case StageKind::key:
    case StageKind::value:
    case StageKind::normed_query:
    case StageKind::normed_key:
    case StageKind::rotated_query:
    case StageKind::rotated_key:
    case StageKind::mapped_query:
    case StageKind::mapped_key:
      return true;
    default:
      return record_of(id.kind).map_part.has_value();
  }
}

template <class Compute>
std::shared_ptr<const WholeLayer> Trace::computed_again(const Compute& compute, const StageId& id) const {
  TaskPool pool;
  return std::make_shared<const WholeLayer>(
      compute(pass_inputs(), *parts_.buffers, id.stack, id.layer, pool));
}

std::shared_ptr<const WholeLayer> Trace::layer_again(const StageId& id) const {
  return lazy_->layers.get({id.stack, id.layer}, [&] { return computed_again(compute_layer, id); });
}

std::shared_ptr<const WholeLayer> Trace::projections_again(const StageId& id) const {
  return lazy_->projections.get({id.stack, id.layer},
                                [&] { return computed_again(compute_projections, id); });
}

StageNumbers Trace::of_layer(const StageId& id) const {
  const std::shared_ptr<const WholeLayer> layer = is_projected(id) ? projections_again(id) : layer_again(id);
  PassPlace place = place_of(id);
  place.this_layer = &layer->buffers;
  return {record_of(id.kind).numbers(place), layer};
}

RowMaker Trace::maker_of_map(const StageId& id) const {
  const bool is_self = id.attention == AttentionKind::self;
  std::shared_ptr<const WholeLayer> again;
  if (!keeps_layers()) again = is_self ? projections_again(id) : layer_again(id);
  const LayerBuffers* layer = again ? &again->buffers : place_of(id).this_layer;
  // This never happens, because a map always belongs to a layer.
  if (layer == nullptr) return [](int, int, float*) {};
  const auto maps =
      std::make_shared<const HeadMaps>(attention_plan(pass_inputs(), {id.stack, id.attention, id.layer, 0}),
                                       is_self ? layer->self : layer->cross, id.head);
  const MapPart part = *record_of(id.kind).map_part;
  return [again, maps, part](int first, int n, float* out) { maps->rows(part, first, n, out); };
}

std::shared_ptr<const Matrix> Trace::weights_of(const StageId& id) const {
  lazy_->weights.keep_two_groups(
      id, [](const StageId& a, const StageId& b) { return a.stack == b.stack && a.layer == b.layer; });
  return lazy_->weights.get(id, [&] {
    const LinearColumns at = record_of(id.kind).weights(place_of(id));
    return std::make_shared<const Matrix>(at.linear->columns(at.first, at.n));
  });
}

std::shared_ptr<const RowMaker> Trace::row_maker(const StageId& id) const {
  lazy_->row_makers.keep_two_groups(
      id, [](const StageId& a, const StageId& b) { return a.stack == b.stack && a.layer == b.layer; });
  return lazy_->row_makers.get(id, [&] {
    const StageRecord& record = record_of(id.kind);
    return std::make_shared<const RowMaker>(record.compute != nullptr ? record.compute(*this, id)
                                                                      : maker_of_map(id));
  });
}

Extent Trace::extent(const StageId& id) const {
  if (!has(id)) return {};
  const StageInfo& line = info(id.kind);
  const bool is_projected = line.cols == Axis::d_model && !architecture().output_projection;
  if (const auto weights = record_of(id.kind).weights; weights != nullptr) {
    const LinearColumns at = weights(place_of(id));
    return {at.linear->n_in(), at.n};
  }
  const bool has_sizes_of_its_own = line.is_parameter && record_of(id.kind).compute == nullptr;
  if (has_sizes_of_its_own || is_projected) {
    const MatrixView there = kept_by_pass(id);
    const MatrixView numbers = there.data != nullptr ? there : of_layer(id).view;
    return {numbers.rows, numbers.cols};
  }
  const AxisSizes sizes = sizes_of(*this);
  return {axis_length(sizes, id, line.rows), axis_length(sizes, id, line.cols)};
}

MatrixView Trace::value(const StageId& id) const {
  if (!has(id)) return {};
  if (const MatrixView there = kept_by_pass(id); there.data != nullptr) return there;
  const auto copied = [&]() -> std::optional<OwnedMatrix> {
    const Extent size = extent(id);
    return all_numbers(size, [&](const StageWindow& window) { return read(id, window); });
  };
  return lazy_->get(lazy_->stages, id, copied)->view();
}

StageNumbers Trace::read(const StageId& id, const StageWindow& w) const {
  if (!has(id)) return {};
  const auto cut = [&w](const MatrixView& all) {
    return all.block(w.first_row, w.first_col, w.n_rows, w.n_cols);
  };
  if (const MatrixView there = kept_by_pass(id); there.data != nullptr) return {cut(there), nullptr};
  if (const OwnedMatrix* copied = lazy_->find(lazy_->stages, id)) return {cut(copied->view()), nullptr};
  if (const auto weights = record_of(id.kind).weights; weights != nullptr) {
    // If only a few of many columns are needed, only these are copied, because all columns of a final linear
    // layer can take gigabytes.
    constexpr int many = 8;
    const LinearColumns at = weights(place_of(id));
    if (std::int64_t{many} * w.n_cols <= at.n) {
      const auto some = std::make_shared<const Matrix>(at.linear->columns(at.first + w.first_col, w.n_cols));
      return {view_of(*some).block(w.first_row, 0, w.n_rows, w.n_cols), some};
    }
    const std::shared_ptr<const Matrix> all = weights_of(id);
    return {cut(view_of(*all)), all};
  }
  if (!is_made_by_rows(id)) {
    const StageNumbers all = of_layer(id);
    return {cut(all.view), all.own};
  }
  const auto rows = std::make_shared<OwnedMatrix>(w.n_rows, extent(id).cols);
  (*row_maker(id))(w.first_row, w.n_rows, rows->values.data());
  return {rows->view().block(0, w.first_col, w.n_rows, w.n_cols), rows};
}

float Trace::number(const StageId& id, int row, int col) const {
  const StageNumbers cell = read(id, {row, col, 1, 1});
  return cell.view.data == nullptr ? std::numeric_limits<float>::quiet_NaN() : cell.view(0, 0);
}

bool Trace::is_at_hand(const StageId& id) const {
  if (!has(id) || keeps_layers() || kept_by_pass(id).data != nullptr) return true;
  if (info(id.kind).is_parameter) return true;
  if (lazy_->row_makers.has(id) || lazy_->find(lazy_->stages, id) != nullptr) return true;
  const std::pair<Stack, int> layer{id.stack, id.layer};
  if (record_of(id.kind).compute != nullptr) return false;
  return is_projected(id) ? lazy_->projections.has(layer) : lazy_->layers.has(layer);
}

std::optional<StageStats> Trace::stats(const StageId& id, const std::atomic<bool>* stop) const {
  if (!has(id)) return StageStats{};
  const auto compute = [&] {
    return stats_of_blocks(extent(id), counted_below(*this, id), stop,
                           [&](const StageWindow& window) { return read(id, window); });
  };
  const StageStats* stats = lazy_->get(lazy_->stats, id, compute);
  return stats == nullptr ? std::nullopt : std::optional(*stats);
}

std::optional<StageStats> Trace::stats_if_known(const StageId& id) const {
  const StageStats* stats = lazy_->find(lazy_->stats, id);
  return stats == nullptr ? std::nullopt : std::optional(*stats);
}

}  // namespace headscope
