#include "core/model/interventions.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

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

/// Sorts by place and removes duplicates, keeping the last.
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

std::shared_ptr<const OwnedMatrix> GivenNumbers::at(std::string_view path) const {
  const auto found = std::ranges::lower_bound(all, path, {}, &GivenMatrix::path);
  return found == all.end() || found->path != path ? nullptr : found->numbers;
}

GivenNumbers with_given(GivenNumbers given, GivenMatrix matrix) {
  auto place = std::ranges::lower_bound(given.all, matrix.path, {}, &GivenMatrix::path);
  if (place != given.all.end() && place->path == matrix.path) {
    *place = std::move(matrix);
  } else {
    given.all.insert(place, std::move(matrix));
  }
  return given;
}

GivenNumbers without_given(GivenNumbers given, std::string_view path) {
  std::erase_if(given.all, [path](const GivenMatrix& each) { return each.path == path; });
  return given;
}

bool can_be_patched(StageKind kind) {
  using enum StageKind;
  // `concat` and layer inputs repeat other stages, and only probabilities depend on the others.
  constexpr std::array excluded{concat,       layer_input, streams_input, sink_share,
                                contribution, logits,      probabilities};
  const StageInfo& stage = info(kind);
  return !stage.is_parameter() && is_token_axis(stage.rows) && !is_token_axis(stage.cols) &&
         std::ranges::find(excluded, kind) == excluded.end();
}

StageId stage_in(const HeadId& head, StageKind kind) {
  return normalized({kind, head.stack, head.layer, head.attention, head.head});
}

HeadId head_of(const StageId& stage) {
  return {stage.stack, stage.attention, stage.layer, stage.head};
}

std::vector<ModelPart> parts_of(const Architecture& a) {
  using Kind = ModelPart::Kind;
  std::vector<ModelPart> parts;
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    for (int layer = 0; layer < a.layers_of(stack); ++layer) {
      for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross}) {
        if (!a.has(stack, attention)) continue;
        for (int head = 0; head < a.n_heads; ++head)
          parts.push_back({Kind::head, {stack, attention, layer, head}});
      }
      if (!a.has(stack)) continue;
      if (a.d_ff > 0) parts.push_back({Kind::feed_forward, {.stack = stack, .layer = layer}});
      parts.push_back({Kind::layer, {.stack = stack, .layer = layer}});
    }
  }
  return parts;
}

std::vector<HeadId> heads_of(const Architecture& architecture) {
  std::vector<HeadId> heads;
  for (const ModelPart& part : parts_of(architecture))
    if (part.kind == ModelPart::Kind::head) heads.push_back(part.place);
  return heads;
}

bool Interventions::take_from_compared() const {
  return std::ranges::any_of(heads, [](const auto& change) { return change.pattern == Pattern::compared; }) ||
         std::ranges::any_of(patches,
                             [](const Patch& patch) { return patch.source == PatchSource::compared; });
}

bool Interventions::uses_means() const {
  return std::ranges::any_of(patches, [](const Patch& patch) { return is_mean(patch.source); });
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
