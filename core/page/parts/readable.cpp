#include "core/page/parts/readable.h"

#include <memory>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {
namespace {

/// The stages that have to be computed again before a derivation of `stage` can be read.
std::vector<StageId> read_with(const Trace& trace, const StageId& stage) {
  std::vector<StageId> stages = inputs_of(trace, stage);
  stages.push_back(stage);
  std::erase_if(stages, [&](const StageId& id) { return trace.is_at_hand(id); });
  return stages;
}

}  // namespace

Extent size_of_maps(const Trace& trace, const StageId& map) {
  return {static_cast<int>(trace.tokens(map, Axis::query_tokens).size()),
          static_cast<int>(trace.tokens(map, Axis::key_tokens).size())};
}

bool are_few_numbers(const Trace& trace, const std::vector<StageId>& stages) {
  std::int64_t n_numbers = 0;
  for (const StageId& stage : stages) {
    if (!trace.has(stage)) continue;
    if (!trace.is_at_hand(stage)) return false;
    const Extent size = trace.extent(stage);
    n_numbers += std::int64_t{size.rows} * size.cols;
    if (!are_few(n_numbers)) return false;
  }
  return true;
}

std::vector<StageId> all_heads(const Architecture& architecture, StageId head) {
  std::vector<StageId> heads;
  for (head.layer = 0; head.layer < architecture.n_layers; ++head.layer) {
    for (head.head = 0; head.head < architecture.n_heads; ++head.head)
      heads.push_back(canonical(architecture, head));
  }
  return heads;
}

bool can_read(const PageInputs& in, PageTools& tools, const StageId& stage) {
  const std::vector<StageId> missing = read_with(*in.trace, stage);
  if (missing.empty()) {
    tools.memo.readings.erase(stage);
    return true;
  }
  auto& reading = tools.memo.readings[stage];
  // The rows may have been dropped again to make room for another layer.
  if (const auto* read = reading.finished(); read != nullptr && read->problem.empty()) reading.forget();
  reading.get(tools.carry_out, in.trace, [missing](const std::shared_ptr<const Trace>& trace, const auto&) {
    for (const StageId& id : missing) trace->read_row(id, 0);
  });
  return read_with(*in.trace, stage).empty();
}

std::string instead_of_reading(const PageMemo& memo) {
  for (const auto& [stage, reading] : memo.readings) {
    if (const auto* read = reading.finished(); read != nullptr && !read->problem.empty())
      return "Not computed: " + read->problem + ".";
  }
  return "Computing…";
}

}  // namespace headscope
