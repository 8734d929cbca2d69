#include "core/trace/trace.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "core/model/model_files.h"
#include "core/trace/stage.h"
#include "core/trace/stage_list.h"
#include "core/trace/trace_lazy.h"
#include "core/trace/unembedding.h"
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

/// The sorted stages and parameters on which no number of the pass depends, because only stages that are
/// given by hand would be computed from them. `stages` lists all stages that the pass has.
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

}  // namespace

Trace::Trace(Parts parts) : parts_(std::move(parts)), lazy_(std::make_unique<Lazy>()) {
  if (parts_.complete && !parts_.given.empty()) unused_ = unused_stages(*this, stages_of(*this));
}

Trace::~Trace() = default;

Result<void> Trace::check_files() const {
  return parts_.files ? parts_.files->check_unchanged() : Result<void>();
}

Demand Trace::demand(int row) const {
  const std::vector<Demand>& demands = parts_.task_rows.demands;
  const auto at = static_cast<std::size_t>(row);
  return row >= 0 && at < demands.size() ? demands[at] : Demand::repeats;
}

const Architecture& Trace::architecture() const {
  return parts_.model->architecture;
}

const CombinedMask& Trace::mask(const StageId& id) const {
  return parts_.masks->of(architecture(), {id.stack, id.attention, id.layer});
}

const MaskSpec& Trace::mask_spec(const StageId& id) const {
  return mask_of(parts_.options, architecture().stacks, id.stack, id.attention);
}

std::optional<int> Trace::sliding_window(const StageId& id) const {
  const bool slides = id.attention == AttentionKind::self && architecture().slides(id.layer);
  return slides ? architecture().sliding_window : std::nullopt;
}

std::shared_ptr<const OwnedMatrix> Trace::given(const StageId& id) const {
  return parts_.given.empty() ? nullptr : parts_.given.at(path(canonical(architecture(), id)));
}

const std::vector<Token>& Trace::tokens(Stack stack) const {
  return architecture().has_cross() && stack == Stack::decoder ? parts_.target_tokens : parts_.tokens;
}

const std::vector<Token>& Trace::tokens(const StageId& id, Axis axis) const {
  const bool looks_away = axis == Axis::key_tokens && id.attention == AttentionKind::cross;
  const bool ends_model = info(id.kind).scope == StageScope::model;
  return tokens(ends_model ? architecture().last_stack() : looks_away ? Stack::encoder : id.stack);
}

const std::vector<std::string>& Trace::vocabulary() const {
  static const std::vector<std::string> none;
  return parts_.unembedding ? parts_.unembedding->words : none;
}

std::size_t Trace::bytes() const {
  return parts_.buffers->shape.floats() * sizeof(float);
}

bool Trace::is_computed(const StageId& id) const {
  const StageInfo& line = info(id.kind);
  if (parts_.complete || line.is_parameter) return true;
  if (line.scope == StageScope::model) return false;
  const Architecture& a = architecture();
  const int before = a.has_cross() && id.stack == Stack::decoder ? a.layers_of(Stack::encoder) : 0;
  if (line.scope == StageScope::stack) {
    return !record_of(id.kind).follows_layers || before + a.layers_of(id.stack) <= parts_.layers_done;
  }
  return before + id.layer < parts_.layers_done;
}

PassTraits Trace::traits() const {
  return {architecture(), parts_.options, parts_.model->embedding_table.exists()};
}

Absence Trace::absence(const StageId& id) const {
  const Absence absence = absence_of(traits(), id);
  return absence != Absence::none ? absence : unless(is_computed(id), Absence::not_computed_yet);
}

std::vector<StageId> Trace::stages() const {
  std::vector<StageId> stages = stages_of(*this);
  std::erase_if(stages, [this](const StageId& id) { return !uses(id); });
  return stages;
}

bool Trace::uses(const StageId& id) const {
  return unused_.empty() || !std::ranges::binary_search(unused_, canonical(architecture(), normalized(id)));
}

bool Trace::is_untrained() const {
  return parts_.model->drawn && !parts_.is_given;
}

std::string Trace::label(const StageId& id, Axis axis, int index) const {
  const std::string whole = whole_label(id, axis, index);
  const bool is_negative = axis == Axis::position_cols && whole.starts_with('-');
  return is_negative ? "−" + whole.substr(1) : shown_word(whole);
}

std::string Trace::whole_label(const StageId& id, Axis axis, int index) const {
  const auto at = static_cast<std::size_t>(index);
  if (runs_over_tokens(axis)) {
    const std::vector<Token>& along = tokens(id, axis);
    if (index >= 0 && at < along.size()) return along[at].text;
  }
  if (axis == Axis::vocabulary && index >= 0 && at < vocabulary().size()) return vocabulary()[at];
  const bool holds_biases =
      architecture().positions == Positions::relative && !architecture().relative_buckets;
  if (axis == Axis::position_cols && holds_biases) return std::to_string(index - max_relative_distance);
  return std::to_string(index);
}

}  // namespace headscope
