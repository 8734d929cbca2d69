#include <algorithm>
#include <cmath>
#include <limits>

#include "core/figure/pages.h"

namespace headscope {
namespace {

std::string axis_title(Axis axis, bool of_map) {
  if (axis == Axis::single) return {};
  if (of_map && axis == Axis::query_tokens) return "queries";
  if (of_map && axis == Axis::key_tokens) return "keys";
  return std::string(axis_name(axis));
}

std::vector<std::string> axis_labels(const Trace& trace, const StageId& id, Axis axis, int count) {
  std::vector<std::string> labels;
  if (axis == Axis::single) return labels;
  labels.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) labels.push_back(trace.label(id, axis, i));
  return labels;
}

/// Weights with −∞ where the mask hides the cell and left no weight: that 0 was not computed from a score.
/// Null if there is no such cell.
std::shared_ptr<const OwnedMatrix> with_hidden_cells(const Trace& trace, const StageId& id) {
  if (!info(id.kind).is_share) return nullptr;
  StageId scores = id;
  scores.kind = StageKind::masked;
  const MatrixView weights = trace.value(id);
  const MatrixView masked = trace.value(scores);
  const CombinedMask& mask = trace.mask(id);
  if (masked.rows != weights.rows || masked.cols != weights.cols) return nullptr;
  OwnedMatrix shown(weights.rows, weights.cols);
  bool hides = false;
  for (int row = 0; row < weights.rows; ++row) {
    for (int col = 0; col < weights.cols; ++col) {
      const bool is_hidden = !mask.is_visible(id.head, row, col) || masked(row, col) <= -hidden_magnitude;
      const bool is_hatched = is_hidden && weights(row, col) == 0.0F;
      shown.at(row, col) = is_hatched ? -std::numeric_limits<float>::infinity() : weights(row, col);
      hides = hides || is_hatched;
    }
  }
  return hides ? std::make_shared<const OwnedMatrix>(std::move(shown)) : nullptr;
}

double greatest_magnitude(const OwnedMatrix& matrix, float below) {
  double greatest = 0.0;
  for (const float value : matrix.values) {
    const float magnitude = std::abs(value);
    if (magnitude < below) greatest = std::max(greatest, static_cast<double>(magnitude));
  }
  return greatest;
}

}  // namespace

std::string place_text(const Architecture& architecture, const StageId& id) {
  const StageInfo& stage = info(id.kind);
  const bool two_stacks = architecture.has_cross();
  if (stage.scope == StageScope::model) return {};
  std::string place = id.stack == Stack::encoder ? "Encoder" : "Decoder";
  if (stage.scope == StageScope::stack) return two_stacks ? place : "";
  const std::string layer = "ayer " + std::to_string(id.layer);
  place = two_stacks ? place + " l" + layer : "L" + layer;
  if (stage.scope >= StageScope::attention && two_stacks && id.stack == Stack::decoder) {
    place += id.attention == AttentionKind::self ? " · self" : " · cross";
  }
  if (stage.scope == StageScope::head) place += " · head " + std::to_string(id.head);
  return place;
}

std::string stage_title(const Trace& trace, const StageId& id) {
  const std::string place = place_text(trace.architecture(), id);
  return place + (place.empty() ? "" : " · ") + std::string(info(id.kind).title);
}

bool is_random(const Trace& trace, StageKind kind) {
  const Positions positions = trace.architecture().positions;
  if (kind == StageKind::positions && positions != Positions::learned) return false;
  if (kind == StageKind::position_bias && positions == Positions::alibi) return false;
  return trace.is_untrained();
}

ColorScale scale_of_stage(const Trace& trace, const StageId& id, const PictureOptions& options) {
  const StageInfo& stage = info(id.kind);
  if (options.range == RangeMode::row) {
    return {options, stage.is_signed, trace.value(id), {}, counted_below(trace, id)};
  }
  double high = 0.0;
  const auto include = [&](const StageId& one) {
    const StageStats stats = trace.stats(one).value_or(StageStats{});
    high = std::max(high, stage.is_signed ? stats.counted_magnitude : stats.maximum);
  };
  if (options.range != RangeMode::fixed) include(id);
  if (options.range == RangeMode::all_heads && stage.scope == StageScope::head) {
    StageId other = id;
    for (other.head = 0; other.head < trace.architecture().n_heads; ++other.head) include(other);
  }
  return {options, stage.is_signed, high};
}

HeatmapSpec heatmap_of_stage(const Trace& trace, const StageId& id, const PictureOptions& options) {
  const StageInfo& stage = info(id.kind);
  HeatmapSpec spec;
  spec.kept = with_hidden_cells(trace, id);
  spec.values = spec.kept ? spec.kept->view() : trace.value(id);
  spec.row_labels = axis_labels(trace, id, stage.rows, spec.values.rows);
  spec.col_labels = axis_labels(trace, id, stage.cols, spec.values.cols);
  spec.row_axis = axis_title(stage.rows, is_map(id.kind));
  spec.col_axis = axis_title(stage.cols, is_map(id.kind));
  spec.title = stage_title(trace, id);
  spec.formula = formula(trace, id);
  spec.shape = shape_text(spec.values);
  spec.scale = scale_of_stage(trace, id, options);
  spec.random = is_random(trace, id.kind);
  spec.numbers = options.numbers;
  return spec;
}

HeatmapSpec difference_spec(const Trace& trace, const StageId& stage, const OwnedMatrix& difference,
                            const PictureOptions& picture, double& held) {
  HeatmapSpec spec = heatmap_of_stage(trace, stage, picture);
  spec.values = difference.view();
  spec.kept.reset();
  spec.title += ": difference";
  spec.formula = difference_formula;
  held = std::max(held, greatest_magnitude(difference, counted_below(trace, stage)));
  PictureOptions about_zero = picture;
  about_zero.range = RangeMode::fixed;
  about_zero.fixed_low = held > 0.0 ? -held : -1.0;
  about_zero.fixed_high = held > 0.0 ? held : 1.0;
  about_zero.transfer = Transfer::linear;
  constexpr bool is_signed = true;
  spec.scale = ColorScale(about_zero, is_signed, spec.values);
  return spec;
}

std::string stage_note(const HeatmapSpec& spec, const HeatmapLayout& layout, StageKind kind) {
  std::string note;
  const auto add = [&note](const std::string& sentence) { note += (note.empty() ? "" : " · ") + sentence; };
  if (spec.random) add("untrained: random weights");
  if (is_map(kind)) add("rows are queries, columns are keys");
  bool hidden = false;
  bool missing = false;
  for (int row = layout.first_row; row < layout.first_row + layout.n_rows && !(hidden && missing); ++row) {
    for (const float value : spec.values.row(row)) {
      hidden = hidden || std::isinf(value);
      missing = missing || std::isnan(value);
    }
  }
  const bool is_score = kind == StageKind::masked;
  if (hidden) add(is_score ? "hatched: −∞, hidden by the mask" : "hatched: no weight, hidden by the mask");
  if (missing) add("hatched: nothing to compare with");
  if (layout.pooled) add("pooled: each pixel shows the largest magnitude of its cells");
  return note;
}

}  // namespace headscope
