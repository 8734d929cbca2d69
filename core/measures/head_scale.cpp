#include "core/measures/head_scale.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/measures/measured_heads.h"
#include "core/measures/tiled_head.h"
#include "core/model/positions.h"
#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// The queries and keys of the raw scores.
struct MultipliedRows {
  StageId query, key;
};
MultipliedRows multiplied_rows(const Trace& trace, const StageId& head) {
  const std::vector<StageId> rows = trace.graph().inputs(with_kind(head, StageKind::raw));
  return rows.empty() ? MultipliedRows{with_kind(head, StageKind::query), with_kind(head, StageKind::key)}
                      : MultipliedRows{rows.front(), rows.back()};
}

/// Rows of raw scores with their position biases.
struct RawRows {
  StageNumbers raw, bias;
  int first = 0;
};

RawRows raw_rows(const Trace& trace, const StageId& head, int first, int n) {
  const StageId raw = with_kind(head, StageKind::raw);
  const StageId bias = with_kind(head, StageKind::position_bias);
  const StageWindow window{first, 0, n, trace.extent(raw).cols};
  return {trace.read(raw, window), trace.has(bias) ? trace.read(bias, window) : StageNumbers{}, first};
}

SoftmaxRow softmax_of(const Trace& trace, const StageId& head, const RawRows& rows, int row, double factor,
                      double sink) {
  const CombinedMask& mask = trace.mask(head);
  const auto cap = static_cast<double>(trace.architecture().softcap);
  const int query = rows.first + row;
  const auto raw = rows.raw.view.row(row);
  std::vector<double> scores(raw.size());
  for (std::size_t key = 0; key < raw.size(); ++key) {
    const auto at = static_cast<int>(key);
    if (!mask.is_visible(head.head, query, at)) {
      scores[key] = static_cast<double>(mask.value);
      continue;
    }
    double score = static_cast<double>(raw[key]) * factor;
    if (cap > 0.0) score = cap * std::tanh(score / cap);
    if (!rows.bias.view.empty()) score += static_cast<double>(rows.bias.view(row, at));
    scores[key] = score + static_cast<double>(mask.addend(head.head, query, at));
  }
  return softmax_row(std::move(scores), sink);
}

double variance_of(const Trace& trace, const StageId& stage, int n_rows) {
  const Extent extent = trace.extent(stage);
  const int at_once = rows_at_once(extent);
  VarianceSums sums;
  for (int first = 0; first < std::min(n_rows, extent.rows); first += at_once) {
    const int n = std::min(at_once, std::min(n_rows, extent.rows) - first);
    const StageNumbers block = trace.read(stage, {first, 0, n, extent.cols});
    for (int row = 0; row < n; ++row) {
      for (const float number : block.view.row(row)) sums.add(static_cast<double>(number));
    }
  }
  return sums.variance();
}

struct HeadSums {
  SoftmaxSums divided, undivided;
  VarianceSums raw;
  int n_rows = 0;
};

void add_row_of_head(const Trace& trace, const StageId& head, const RawRows& rows, int row,
                     const ScoreFactors& factors, double sink, HeadSums& sums) {
  const CombinedMask& mask = trace.mask(head);
  int n_visible = 0;
  for (int key = 0; key < rows.raw.view.cols; ++key) {
    if (!mask.sees(head.head, rows.first + row, key)) continue;
    ++n_visible;
    sums.raw.add(static_cast<double>(rows.raw.view(row, key)));
  }
  // A single visible key has all the weight, apart from a sink.
  if (n_visible < (std::isfinite(sink) ? 1 : 2)) return;
  sums.divided.add(softmax_of(trace, head, rows, row, factors.divided, sink));
  sums.undivided.add(softmax_of(trace, head, rows, row, factors.undivided, sink));
  ++sums.n_rows;
}

}  // namespace

ScoreFactors score_factors(const Trace& trace, const StageId& head) {
  const Architecture& a = trace.architecture();
  const auto temperature = static_cast<double>(trace.options().temperature);
  ScoreFactors factors;
  factors.width = trace.extent(multiplied_rows(trace, head).query).cols;
  if (factors.width == 0) factors.width = a.head_width();
  factors.has_own_scale = a.score_scale > 0.0F;
  factors.yarn = score_amplitude(a, head.attention, head.layer);
  factors.divided = factors.yarn *
                    (factors.has_own_scale ? static_cast<double>(a.score_scale)
                                           : 1.0 / std::sqrt(static_cast<double>(factors.width))) /
                    temperature;
  factors.undivided = factors.yarn / temperature;
  factors.is_divided = trace.options().scale;
  return factors;
}

std::vector<SoftmaxRow> softmax_rows(const Trace& trace, const StageId& head, int first, int n,
                                     double factor) {
  const RawRows rows = raw_rows(trace, head, first, n);
  const double sink = sink_score(trace, head);
  std::vector<SoftmaxRow> found;
  found.reserve(static_cast<std::size_t>(n));
  for (int row = 0; row < n; ++row) found.push_back(softmax_of(trace, head, rows, row, factor, sink));
  return found;
}

HeadScale head_scale(const Trace& trace, const StageId& head, int max_rows) {
  const ScoreFactors factors = score_factors(trace, head);
  const MeasuredText text = measured_text(trace, head);
  const int n = text.n_queries();
  const int step = std::max((n + max_rows - 1) / std::max(max_rows, 1), 1);
  const double sink = sink_score(trace, head);
  HeadSums sums;
  // Read consecutive rows together.
  const int at_once = step > 1 ? 1 : rows_at_once(trace.extent(with_kind(head, StageKind::raw)));
  for (int first = 0; first < n; first += step * at_once) {
    const RawRows rows = raw_rows(trace, head, first, std::min(at_once, n - first));
    for (int row = 0; row < rows.raw.view.rows; ++row)
      add_row_of_head(trace, head, rows, row, factors, sink, sums);
  }
  HeadScale found{sums.divided.means(), sums.undivided.means(), sums.raw.variance(), 0.0, 0.0, sums.n_rows};
  const MultipliedRows multiplied = multiplied_rows(trace, head);
  found.query_variance = variance_of(trace, multiplied.query, n);
  found.key_variance = variance_of(trace, multiplied.key, static_cast<int>(text.is_punctuation.size()));
  return found;
}

std::optional<ScaleGain> most_affected_query(const Trace& trace, const StageId& head, int shown) {
  constexpr int max_queries = 64;
  constexpr double little = 0.05;
  constexpr double much = 0.1;
  const int n = trace.extent(head).rows;
  const ScoreFactors factors = score_factors(trace, head);
  if (n > max_queries || shown >= n || factors.has_own_scale) return std::nullopt;
  const std::vector<SoftmaxRow> divided = softmax_rows(trace, head, 0, n, factors.divided);
  const std::vector<SoftmaxRow> undivided = softmax_rows(trace, head, 0, n, factors.undivided);
  const auto gain = [&](int query) {
    const auto row = static_cast<std::size_t>(query);
    return ScaleGain{query, max_weight(divided[row]), max_weight(undivided[row])};
  };
  const auto size_of = [](const ScaleGain& of_row) { return of_row.undivided - of_row.divided; };
  if (size_of(gain(shown)) >= little) return std::nullopt;
  ScaleGain best = gain(0);
  for (int query = 1; query < n; ++query) {
    if (const ScaleGain each = gain(query); size_of(each) > size_of(best)) best = each;
  }
  return size_of(best) < much ? std::nullopt : std::optional(best);
}

}  // namespace headscope
