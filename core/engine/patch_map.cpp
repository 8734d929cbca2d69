#include "core/engine/patch_map.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/engine/part_effects.h"
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
  Patcher(const Trace& a, const Trace& b, const LogitDifference& difference, const std::atomic<bool>* stop)
      : a_(a), b_(b), asked_(difference), pass_(b, stop) {}

  /// B with the rows of these stages, which are in one layer. Empty if it was stopped.
  std::optional<double> with(const std::vector<StageId>& stages, std::optional<int> token) {
    std::vector<RowEdit> rows;
    for (const StageId& stage : stages) {
      const int n = static_cast<int>(b_.tokens(stage.stack).size());
      for (int row = token.value_or(0); row < (token ? *token + 1 : n); ++row) {
        const StageNumbers numbers = a_.read_row(stage, row);
        const auto line = numbers.view.row(0);
        rows.push_back(
            {canonical(b_.architecture(), stage), row, PatchSource::compared, {line.begin(), line.end()}});
      }
    }
    const auto logits = pass_.logits_with(std::move(rows), asked_.row);
    return logits ? std::optional(difference_in(*logits, asked_)) : std::nullopt;
  }

 private:
  const Trace& a_;
  const Trace& b_;
  LogitDifference asked_;
  PartialPass pass_;
};

/// The stage whose rows enter a layer: the input of the stack, or what leaves the layer before.
StageId entering(const ModelPart& layer) {
  const auto [stack, attention, index, head] = layer.place;
  if (index == 0) return {StageKind::input, stack};
  return {StageKind::layer_output, stack, index - 1};
}

/// A part that is taken as a whole, or the row of one token after another.
struct PatchTask {
  std::vector<PatchedPart> PatchMap::*list;
  ModelPart part;
  std::vector<StageId> stages;
  bool by_token = false;
};

std::vector<PatchTask> patch_tasks_of(const Trace& b, TokenPatches of_heads) {
  using Kind = ModelPart::Kind;
  const Stack last = b.architecture().last_stack();
  std::vector<PatchTask> tasks;
  const auto add = [&](std::vector<PatchedPart> PatchMap::*list, const ModelPart& part,
                       const std::vector<StageId>& stages, bool by_token) {
    const bool is_free = std::ranges::all_of(stages, [&](const StageId& stage) {
      return b.has(stage) && b.given(stage) == nullptr && can_be_patched(stage.kind);
    });
    if (is_free) tasks.push_back({list, part, stages, by_token});
  };
  for (const ModelPart& part : parts_of(b.architecture())) {
    if (part.place.stack != last) continue;
    const std::vector<StageId> written = written_by(b.graph(), part);
    add(&PatchMap::parts, part, written, false);
    if (part.kind == Kind::head && of_heads == TokenPatches::taken)
      add(&PatchMap::head_rows, part, written, true);
    if (part.kind == Kind::feed_forward) add(&PatchMap::feed_forward_rows, part, written, true);
    if (part.kind == Kind::layer) add(&PatchMap::layer_rows, part, {entering(part)}, true);
  }
  return tasks;
}

}  // namespace

std::int64_t patched_passes(const Trace& b, TokenPatches of_heads) {
  const std::vector<PatchTask> tasks = patch_tasks_of(b, of_heads);
  const auto n_by_token = std::ranges::count(tasks, true, &PatchTask::by_token);
  const auto n_tokens = std::ssize(b.tokens(b.architecture().last_stack()));
  return std::ssize(tasks) - n_by_token + n_by_token * n_tokens;
}

Slices<PatchMap> patch_map(const Trace& a, const Trace& b, LogitDifference difference, TokenPatches of_heads,
                           const std::atomic<bool>* stop) {
  PatchMap map;
  map.absent = why_not_patched(a, b);
  if (!map.absent.empty()) co_return map;
  map.of_a = difference_of(a, difference);
  map.of_b = difference_of(b, difference);
  map.resolution = std::max(logit_resolution(a, difference.row), logit_resolution(b, difference.row));
  Patcher patcher(a, b, difference, stop);
  const auto n_passes = static_cast<double>(patched_passes(b, of_heads));
  const int n_tokens = static_cast<int>(b.tokens(b.architecture().last_stack()).size());
  double n_done = 0.0;
  for (const PatchTask& task : patch_tasks_of(b, of_heads)) {
    for (int token = 0; token < (task.by_token ? n_tokens : 1); ++token) {
      const std::optional<int> of_row = task.by_token ? std::optional(token) : std::nullopt;
      const std::optional<double> found = patcher.with(task.stages, of_row);
      if (!found) co_return map;
      (map.*task.list).push_back({task.part, of_row, *found});
      co_yield ++n_done / n_passes;
    }
  }
  co_return map;
}

}  // namespace headscope
