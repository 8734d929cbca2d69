#include "core/trace/sink_share.h"

#include <algorithm>
#include <cmath>

#include "core/model/pass_edits.h"
#include "core/trace/derivation.h"
#include "core/trace/number_text.h"
#include "core/trace/patch_stage.h"
#include "core/trace/weight_stages.h"

namespace headscope::stages {

bool holds_pattern(const Trace& trace, const StageId& id) {
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(id));
  return edits != nullptr && !edits->pattern.empty();
}

float left_of_one(std::span<const float> weights) {
  double sum = 0.0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  return static_cast<float>(std::max(1.0 - sum, 0.0));
}

RowMaker sink_shares(const Trace& trace, const StageId& id) {
  if (holds_pattern(trace, id)) {
    const StageId shown = at_kind(id, weights);
    return [&trace, shown](int first, int n, float* out) {
      const StageNumbers rows = trace.read(shown, {first, 0, n, trace.extent(shown).cols});
      for (int row = 0; row < n; ++row) *out++ = left_of_one(rows.view.row(row));
    };
  }
  const StageId scores = at_kind(id, masked);
  const auto sink_score = static_cast<double>(trace.number(at_kind(id, sink), 0, 0));
  return [&trace, scores, sink_score](int first, int n, float* out) {
    const StageNumbers rows = trace.read(scores, {first, 0, n, trace.extent(scores).cols});
    for (int row = 0; row < n; ++row) {
      const auto line = rows.view.row(row);
      const double maximum = std::max(static_cast<double>(*std::ranges::max_element(line)), sink_score);
      double sum = std::exp(sink_score - maximum);
      const double own = sum;
      for (const float score : line) sum += std::exp(static_cast<double>(score) - maximum);
      *out++ = static_cast<float>(own / sum);
    }
  };
}

std::string sink_share_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return token_as(trace, id, Axis::query_tokens, "query", cell.row) + " gives " + number_text(cell.value) +
         " to the sink, which adds no value";
}

}  // namespace headscope::stages
