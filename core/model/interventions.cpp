#include "core/model/interventions.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace headscope {
namespace {

bool is_nothing(const HeadChange& change) {
  return change.scale == 1.0F && change.pattern == Pattern::own;
}

auto place_of(const HeadChange& change) {
  return change.place;
}
auto place_of(const GivenWeight& given) {
  return std::tuple(given.place, given.cell);
}
auto place_of(const Patch& patch) {
  return std::tuple(patch.stage.stack, patch.stage.layer, patch.stage, patch.row);
}

/// Sorts by place and keeps the last of those at one place.
template <class Item>
void order(std::vector<Item>& items) {
  std::ranges::stable_sort(items, {}, [](const Item& item) { return place_of(item); });
  std::vector<Item> kept;
  kept.reserve(items.size());
  for (const Item& item : items) {
    if (!kept.empty() && place_of(kept.back()) == place_of(item)) kept.pop_back();
    kept.push_back(item);
  }
  items = std::move(kept);
}

}  // namespace

bool can_be_patched(StageKind kind) {
  using enum StageKind;
  constexpr std::array patched{input,
                               latent,
                               query,
                               key,
                               value,
                               output,
                               projected,
                               output_norm,
                               residual,
                               normed,
                               activated,
                               feed_forward_output,
                               feed_forward_output_norm,
                               feed_forward_residual,
                               feed_forward_normed};
  return std::ranges::find(patched, kind) != patched.end();
}

StageId stage_in(const HeadId& head, StageKind kind) {
  return normalized({kind, head.stack, head.layer, head.attention, head.head});
}

HeadId head_of(const StageId& stage) {
  return {stage.stack, stage.attention, stage.layer, stage.head};
}

bool Interventions::take_from_held() const {
  return std::ranges::any_of(heads, [](const auto& change) { return change.pattern == Pattern::held; }) ||
         std::ranges::any_of(patches, [](const Patch& patch) { return patch.source == PatchSource::held; });
}

HeadChange change_of(const Interventions& interventions, const HeadId& place) {
  const auto found = std::ranges::find(interventions.heads, place, &HeadChange::place);
  return found == interventions.heads.end() ? HeadChange{place, 1.0F, Pattern::own} : *found;
}

Interventions with_change(Interventions interventions, const HeadChange& change) {
  interventions.heads.push_back(change);
  return in_order(std::move(interventions));
}

Interventions with_weight(Interventions interventions, const GivenWeight& given) {
  std::erase_if(interventions.weights,
                [&](const GivenWeight& each) { return place_of(each) == place_of(given); });
  if (given.weight >= 0.0F) interventions.weights.push_back(given);
  return in_order(std::move(interventions));
}

Interventions in_order(Interventions interventions) {
  order(interventions.heads);
  order(interventions.weights);
  order(interventions.patches);
  std::erase_if(interventions.heads, is_nothing);
  return interventions;
}

}  // namespace headscope
