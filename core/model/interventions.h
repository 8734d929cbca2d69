#pragma once

#include <compare>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/mask.h"

namespace headscope {

/// A head of the model.
struct HeadId {
  Stack stack = Stack::encoder;
  AttentionKind attention = AttentionKind::self;
  int layer = 0;
  int head = 0;
  auto operator<=>(const HeadId&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// Where the weights of a head come from.
enum class Pattern {
  own,      ///< The softmax of its scores.
  uniform,  ///< The same weight for every key that the mask shows.
  held      ///< The weights of the same head in the held subject.
};

/// The largest factor of a head's output.
inline constexpr float max_head_scale = 2.0F;

/// What is done to one head.
struct HeadChange {
  HeadId place;
  float scale = 1.0F;  ///< The factor of its output; 0 switches the head off.
  Pattern pattern = Pattern::own;
  bool operator==(const HeadChange&) const = default;
};

/// A weight that a person gave, from 0 to 1. The other weights of its row share the rest in their former
/// proportions. Given weights that add up to more than the row's sum, or that leave no other key, are scaled
/// to the row's sum. If the mask hides the cell, the weight is kept but not used, because the mask can be
/// switched off again.
struct GivenWeight {
  HeadId place;
  Cell cell;
  float weight = 0.0F;
  bool operator==(const GivenWeight&) const = default;
};

/// The stages in which a token's row can be replaced, in the order of computation.
enum class PatchSite {
  input,   ///< The input of the stack.
  latent,  ///< The latent of keys and values.
  query,
  key,
  value,
  output,  ///< The output of a head.
  projected,
  output_norm,
  residual,
  normed,
  activated,
  feed_forward_output,
  feed_forward_output_norm,
  feed_forward_residual,
  feed_forward_normed
};

/// Whether a site belongs to one head. The others belong to an attention, a layer or a stack.
constexpr bool is_of_head(PatchSite site) {
  return site >= PatchSite::query && site <= PatchSite::output;
}

/// Whether a site has one row per key (in cross-attention, per source token). The others have one row per
/// query.
constexpr bool is_of_keys(PatchSite site) {
  return site == PatchSite::latent || site == PatchSite::key || site == PatchSite::value;
}

/// What replaces a row.
enum class PatchSource { zero, held };

/// A token's row of a stage that is replaced before anything is computed from it.
struct Patch {
  PatchSite site = PatchSite::output;
  HeadId place;  ///< Fields that the site does not have are 0.
  int row = 0;
  PatchSource source = PatchSource::zero;
  bool operator==(const Patch&) const = default;
};

/// What is changed inside a pass to see whether it matters. A plain value. Every list is sorted by place, and
/// each place occurs once.
struct Interventions {
  std::vector<HeadChange> heads;  ///< Only the changes that have an effect.
  std::vector<GivenWeight> weights;
  std::vector<Patch> patches;

  bool empty() const { return heads.empty() && weights.empty() && patches.empty(); }
  /// Whether rows of this site are replaced.
  bool replace(PatchSite site) const;
  /// Whether any numbers come from the held subject.
  bool take_from_held() const;
  bool operator==(const Interventions&) const = default;
};

/// What is done to a head. The default, which changes nothing, if the head is not in the list.
HeadChange change_of(const Interventions& interventions, const HeadId& place);
/// Returns the interventions with `change` in place of the head's former change, or with none if `change` has
/// no effect.
Interventions with_change(Interventions interventions, const HeadChange& change);
/// Returns the interventions with `given` in place of the cell's former weight, or with none if the weight is
/// below 0.
Interventions with_weight(Interventions interventions, const GivenWeight& given);
/// Returns the interventions sorted, without repetitions (the last one counts) and without changes that have
/// no effect.
Interventions in_order(Interventions interventions);

}  // namespace headscope
