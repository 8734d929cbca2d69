#include "core/engine/patch_map.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/engine/head_effects.h"
#include "core/engine/partial_pass.h"
#include "core/model/interventions.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

std::string why_not_patched(const Trace& a, const Trace& b) {
  const Stack last = b.architecture().last_stack();
  const auto sizes = [last](const Trace& trace) {
    const Architecture& of = trace.architecture();
    return std::tuple(of.n_layers, of.n_heads, of.d_model, of.value_width(), of.has_cross(), of.last_stack(),
                      trace.tokens(last).size(), of.d_ff, of.norm, of.residual, of.block,
                      of.output_projection, of.stacks);
  };
  if (a.architecture().linear_attention != b.architecture().linear_attention || sizes(a) != sizes(b))
    return "A and B differ in their layers, their sizes or the number of their tokens, and rows are taken place by place";
  if (!b.complete() || !a.complete()) return "the passes are not complete";
  return {};
}

double difference_in(std::span<const float> logits, const LogitDifference& asked) {
  return static_cast<double>(logits[static_cast<std::size_t>(asked.word)]) -
         static_cast<double>(logits[static_cast<std::size_t>(asked.other)]);
}

double difference_of(const Trace& trace, const LogitDifference& asked) {
  return difference_in(trace.read_row({.kind = StageKind::logits}, asked.row).view.row(0), asked);
}

/// Computes B with one part of A after another.
class Patcher {
 public:
  Patcher(const Trace& a, const Trace& b, const LogitDifference& difference)
      : a_(a), b_(b), asked_(difference), pass_(b) {}

  /// Empty if `stop` became true.
  std::optional<double> with(const StageId& stage, std::optional<int> token, const std::atomic<bool>* stop) {
    std::vector<RowEdit>& rows = pass_.edits().rows;
    const std::size_t n_before = rows.size();
    const int n = static_cast<int>(b_.tokens(stage.stack).size());
    for (int row = token.value_or(0); row < (token ? *token + 1 : n); ++row) {
      const StageNumbers numbers = a_.read_row(stage, row);
      const auto line = numbers.view.row(0);
      rows.push_back(
          {canonical(b_.architecture(), stage), row, PatchSource::held, {line.begin(), line.end()}});
    }
    const auto logits = pass_.logits_from(stage.stack, stage.layer, asked_.row, stop);
    rows.resize(n_before);
    if (!logits) return std::nullopt;
    return difference_in(*logits, asked_);
  }

 private:
  const Trace& a_;
  const Trace& b_;
  LogitDifference asked_;
  PartialPass pass_;
};

bool can_be_replaced(const Trace& trace, const StageId& stage) {
  return trace.has(stage) && trace.given(stage) == nullptr && can_be_patched(stage.kind);
}

/// The stage whose rows enter a layer: the input of the stack, or what leaves the layer before.
StageId entering(const Trace& trace, Stack stack, int layer) {
  if (layer == 0) return {StageKind::input, stack};
  return trace.graph().inputs({StageKind::layer_output, stack, layer - 1}).front();
}

std::vector<StageId> outputs_of_heads(const Trace& trace) {
  std::vector<StageId> outputs;
  for (const HeadId& head : heads_of(trace.architecture())) {
    const StageId output = stage_in(head, StageKind::output);
    if (head.stack == trace.architecture().last_stack() && can_be_replaced(trace, output))
      outputs.push_back(output);
  }
  return outputs;
}

}  // namespace

std::int64_t patched_passes(const Trace& b, bool takes_head_rows) {
  const Stack last = b.architecture().last_stack();
  const auto n_tokens = static_cast<std::int64_t>(b.tokens(last).size());
  const auto n_heads = static_cast<std::int64_t>(outputs_of_heads(b).size());
  return n_heads * (takes_head_rows ? 1 + n_tokens : 1) + b.architecture().layers_of(last) * n_tokens;
}

std::optional<PatchMap> patch_map(const Trace& a, const Trace& b, const LogitDifference& difference,
                                  const PatchJob& job) {
  PatchMap map;
  map.absent = why_not_patched(a, b);
  if (!map.absent.empty()) return map;
  map.of_a = difference_of(a, difference);
  map.of_b = difference_of(b, difference);
  map.resolution = std::max(logit_resolution(a, difference.row), logit_resolution(b, difference.row));
  Patcher patcher(a, b, difference);
  const auto n_parts = static_cast<double>(patched_passes(b, job.takes_head_rows));
  double n_done = 0.0;
  const auto add = [&](std::vector<PatchedPart>& parts, const StageId& stage, std::optional<int> token) {
    const std::optional<double> found = patcher.with(stage, token, job.stop);
    n_done += 1.0;
    if (job.progress != nullptr) *job.progress = n_done / n_parts;
    if (found) parts.push_back({stage, token, stage.layer, *found});
    return found.has_value();
  };
  const Stack last = b.architecture().last_stack();
  const int n_tokens = static_cast<int>(b.tokens(last).size());
  for (const StageId& output : outputs_of_heads(b)) {
    if (!add(map.heads, output, std::nullopt)) return std::nullopt;
    for (int token = 0; token < n_tokens && job.takes_head_rows; ++token) {
      if (!add(map.head_rows, output, token)) return std::nullopt;
    }
  }
  for (int layer = 0; layer < b.architecture().layers_of(last); ++layer) {
    const StageId stage = entering(b, last, layer);
    for (int token = 0; token < n_tokens && can_be_replaced(b, stage); ++token) {
      if (!add(map.layer_rows, stage, token)) return std::nullopt;
      map.layer_rows.back().layer = layer;
    }
  }
  return map;
}

}  // namespace headscope
