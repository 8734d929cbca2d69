#include "core/page/parts/readable.h"

#include <memory>
#include <vector>

#include "core/trace/wiring.h"

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
