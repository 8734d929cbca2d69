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
  Reading& reading = tools.memo.readings[stage];
  if (reading && !*reading) return false;
  reading = std::make_shared<std::atomic<bool>>(false);
  tools.carry_out([missing, trace = in.trace, done = reading] {
    for (const StageId& id : missing) trace->read_row(id, 0);
    *done = true;
  });
  return read_with(*in.trace, stage).empty();
}

}  // namespace headscope
