#include "core/session/place_interventions.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/session/intervention_words.h"
#include "core/session/repair.h"
#include "core/trace/absence.h"
#include "core/trace/patch_stage.h"
#include "core/trace/stage.h"

namespace headscope {
namespace {

/// Says what an intervention refers to that does not exist. Empty if it has its place.
class Places {
 public:
  explicit Places(const Session& session)
      : a_(session.architecture), options_(session.attention), n_(token_counts(texts_of(session))) {}

  std::string missing(const HeadChange& change) const { return missing_head(change.place); }

  std::string missing(const GivenWeight& given) const {
    if (std::string head = missing_head(given.place); !head.empty()) return head;
    const bool is_cross = given.place.attention == AttentionKind::cross;
    const int n_keys = is_cross ? n_.source : tokens(given.place.stack);
    if (given.cell.query < 0 || given.cell.query >= tokens(given.place.stack))
      return "row " + beyond(given.cell.query, "a token");
    if (given.cell.key < 0 || given.cell.key >= n_keys) return "column " + beyond(given.cell.key, "a token");
    return {};
  }

  std::string missing(const Patch& patch) const {
    const StageId stage = stage_of(patch);
    if (const Absence absence = absence_of({a_, options_}, stage); absence != Absence::none)
      return absence_text(a_, absence);
    const AxisSizes sizes{.architecture = a_, .n_source = n_.source, .n_target = n_.target};
    const bool is_there = patch.row >= 0 && patch.row < axis_length(sizes, stage, info(stage.kind).rows);
    return is_there ? "" : "row " + beyond(patch.row, "a token");
  }

 private:
  int tokens(Stack stack) const { return a_.has_cross() && stack == Stack::decoder ? n_.target : n_.source; }
  static std::string beyond(int index, const std::string& what) {
    return std::to_string(index) + " is not " + what + " of the sentence";
  }
  static std::string no_stack(Stack stack) {
    return std::string("the model has no ") + (stack == Stack::encoder ? "encoder" : "decoder");
  }
  std::string missing_head(const HeadId& place) const {
    if (!a_.has(place.stack)) return no_stack(place.stack);
    if (!a_.has(place.stack, place.attention))
      return place.attention == AttentionKind::cross ? "the model has no cross-attention"
                                                     : "the model has no self-attention";
    if (place.layer < 0 || place.layer >= a_.n_layers)
      return "layer " + std::to_string(place.layer) + ": the last one is " + std::to_string(a_.n_layers - 1);
    if (place.head < 0 || place.head >= a_.n_heads)
      return "head " + std::to_string(place.head) + ": the last one is " + std::to_string(a_.n_heads - 1);
    return {};
  }

  const Architecture& a_;
  const AttentionOptions& options_;
  TokenCounts n_;
};

}  // namespace

Interventions placed_interventions(const Session& session) {
  Interventions placed = session.interventions;
  if (placed.empty()) return placed;
  for (HeadChange& change : placed.heads)
    change.scale = std::isfinite(change.scale) ? std::clamp(change.scale, 0.0F, max_head_scale) : 1.0F;
  for (GivenWeight& given : placed.weights)
    given.weight = std::isfinite(given.weight) ? std::clamp(given.weight, 0.0F, 1.0F) : 0.0F;
  for (Patch& patch : placed.patches) patch.place = head_of(canonical(session.architecture, stage_of(patch)));
  const Places places(session);
  const auto is_missing = [&](const auto& each) { return !places.missing(each).empty(); };
  std::erase_if(placed.heads, is_missing);
  std::erase_if(placed.weights, is_missing);
  std::erase_if(placed.patches, is_missing);
  return in_order(std::move(placed));
}

Result<void> check_interventions(const Session& session) {
  const Interventions& all = session.interventions;
  if (all.empty()) return {};
  const Places places(session);
  const auto refused = [](const char* option, const std::string& why) {
    return usage_error(std::string(option) + ": " + why);
  };
  for (const HeadChange& change : all.heads) {
    const std::string why = places.missing(change);
    if (!why.empty()) return refused(change.scale != 1.0F ? "--scale-head" : "--pattern", why);
  }
  for (const GivenWeight& given : all.weights) {
    if (const std::string why = places.missing(given); !why.empty()) return refused("--set-weight", why);
  }
  for (const Patch& patch : all.patches) {
    const std::string why = places.missing(patch);
    if (!why.empty()) return refused("--patch", path(stage_of(patch)) + ": " + why);
  }
  return {};
}

Interventions without_held(Interventions interventions) {
  for (HeadChange& change : interventions.heads) {
    if (change.pattern == Pattern::held) change.pattern = Pattern::own;
  }
  std::erase_if(interventions.patches, [](const Patch& patch) { return patch.source == PatchSource::held; });
  return in_order(std::move(interventions));
}

}  // namespace headscope
