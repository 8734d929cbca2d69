#include "core/trace/stage_list.h"

#include <utility>

namespace headscope {
namespace {

/// Lists the stages of a range of kinds in order. Kinds with a deeper scope repeat once for each instance of
/// the scope.
class StageList {
 public:
  explicit StageList(const Trace& trace) : trace_(trace) {}

  std::vector<StageId> all() {
    append(0, all_stage_kinds().size(), StageScope::model, {});
    return std::move(ids_);
  }

 private:
  void append(std::size_t first, std::size_t last, StageScope level, StageId id) {
    const auto kinds = all_stage_kinds();
    for (std::size_t i = first; i < last;) {
      id.kind = kinds[i].kind;
      if (kinds[i].scope == level) {
        if (canonical(trace_.architecture(), id) == id && trace_.has(id)) ids_.push_back(id);
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < last && kinds[end].scope > level) ++end;
      const auto deeper = static_cast<StageScope>(static_cast<int>(level) + 1);
      for (int instance = 0; instance < count(deeper); ++instance) {
        append(i, end, deeper, at(id, deeper, instance));
      }
      i = end;
    }
  }

  int count(StageScope scope) const {
    const Architecture& a = trace_.architecture();
    constexpr int stacks_or_attentions = 2;
    if (scope == StageScope::layer) return a.n_layers;
    return scope == StageScope::head ? a.n_heads : stacks_or_attentions;
  }

  static StageId at(StageId id, StageScope scope, int instance) {
    if (scope == StageScope::stack) id.stack = static_cast<Stack>(instance);
    if (scope == StageScope::layer) id.layer = instance;
    if (scope == StageScope::attention) id.attention = static_cast<AttentionKind>(instance);
    if (scope == StageScope::head) id.head = instance;
    return id;
  }

  const Trace& trace_;
  std::vector<StageId> ids_;
};

}  // namespace

std::vector<StageId> stages_of(const Trace& trace) {
  return StageList(trace).all();
}

}  // namespace headscope
