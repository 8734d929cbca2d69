#include "core/trace/patch_stage.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace headscope {
namespace {

/// The kind of stage for each PatchSite, in the same order.
constexpr std::array kinds_of_sites{StageKind::input,
                                    StageKind::latent,
                                    StageKind::query,
                                    StageKind::key,
                                    StageKind::value,
                                    StageKind::output,
                                    StageKind::projected,
                                    StageKind::output_norm,
                                    StageKind::residual,
                                    StageKind::normed,
                                    StageKind::activated,
                                    StageKind::feed_forward_output,
                                    StageKind::feed_forward_output_norm,
                                    StageKind::feed_forward_residual,
                                    StageKind::feed_forward_normed};
static_assert(kinds_of_sites.size() == static_cast<std::size_t>(PatchSite::feed_forward_normed) + 1);

}  // namespace

StageId stage_of(const Patch& patch) {
  return stage_in(patch.place, kinds_of_sites[static_cast<std::size_t>(patch.site)]);
}

std::optional<Patch> patch_of(const StageId& stage, int row, PatchSource source) {
  const auto found = std::ranges::find(kinds_of_sites, stage.kind);
  if (found == kinds_of_sites.end()) return std::nullopt;
  return Patch{static_cast<PatchSite>(found - kinds_of_sites.begin()), head_of(normalized(stage)), row,
               source};
}

std::string patchable_stages() {
  std::string names;
  for (const StageKind kind : kinds_of_sites) {
    if (!names.empty()) names += ", ";
    names += path(stage_in({}, kind));
  }
  return names;
}

StageId stage_in(const HeadId& head, StageKind kind) {
  return normalized({kind, head.stack, head.layer, head.attention, head.head});
}

HeadId head_of(const StageId& stage) {
  return {stage.stack, stage.attention, stage.layer, stage.head};
}

}  // namespace headscope
