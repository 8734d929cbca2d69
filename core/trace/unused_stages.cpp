#include "core/trace/unused_stages.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/trace/trace.h"
#include "core/trace/wiring.h"

namespace headscope {
namespace {

/// All stages that `stages` are computed from, directly or indirectly. `inputs` returns those of a single
/// stage.
template <class Inputs>
std::set<StageId> all_behind(std::vector<StageId> stages, const Inputs& inputs) {
  std::set<StageId> behind;
  while (!stages.empty()) {
    const StageId next = stages.back();
    stages.pop_back();
    for (const StageId& input : inputs(next)) {
      if (behind.insert(input).second) stages.push_back(input);
    }
  }
  return behind;
}

}  // namespace

std::vector<StageId> unused_stages(const Trace& trace, const std::vector<StageId>& stages) {
  std::vector<StageId> given;
  for (const GivenMatrix& each : trace.given().all) {
    if (const auto id = parse_path(each.path); id && trace.has(*id)) given.push_back(*id);
  }
  const std::set<StageId> before_given =
      all_behind(given, [&](const StageId& id) { return computed_from(trace, id); });
  if (before_given.empty()) return {};
  std::vector<StageId> others;
  std::ranges::copy_if(stages, std::back_inserter(others),
                       [&](const StageId& id) { return !before_given.contains(id); });
  const std::set<StageId> used = all_behind(others, [&](const StageId& id) { return inputs_of(trace, id); });
  std::vector<StageId> unused;
  std::ranges::set_difference(before_given, used, std::back_inserter(unused));
  return unused;
}

}  // namespace headscope
