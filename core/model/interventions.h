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

/// Where a head's weights come from.
enum class Pattern {
  own,      ///< softmax of its scores
  uniform,  ///< the same for every key that the mask shows
  held      ///< those of the same head in the held subject
};

/// Range of the factor of a head's output.
inline constexpr float max_head_scale = 2.0F;

/// What is done to one head.
struct HeadChange {
  HeadId place;
  float scale = 1.0F;  ///< of its output: 0 switches it off
  Pattern pattern = Pattern::own;
  bool operator==(const HeadChange&) const = default;
};

/// A weight given by hand, 0 to 1. The others of its row share what is left, in the proportions that they
/// have. Given weights that add up to more than the row does, or that leave no other key, are scaled to what
/// the row adds up to. One whose cell the mask hides is not used, and kept: the mask can be switched off.
struct GivenWeight {
  HeadId place;
  Cell cell;
  float weight = 0.0F;
  bool operator==(const GivenWeight&) const = default;
};

/// The stages of which a token's row can be replaced, in the order of computation.
enum class PatchSite {
  input,   ///< of the stack
  latent,  ///< of keys and values
  query,
  key,
  value,
  output,  ///< of a head
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

/// Whether a site is of one head: the others are of an attention, a layer or a stack.
constexpr bool is_of_head(PatchSite site) {
  return site >= PatchSite::query && site <= PatchSite::output;
}

/// Whether a site has a row for each key: of the source, in cross-attention. The others have one for each
/// query.
constexpr bool is_of_keys(PatchSite site) {
  return site == PatchSite::latent || site == PatchSite::key || site == PatchSite::value;
}

/// What replaces a row.
enum class PatchSource { zero, held };

/// A token's row of a stage, replaced before anything is computed from it.
struct Patch {
  PatchSite site = PatchSite::output;
  HeadId place;  ///< fields that the site does not have are 0
  int row = 0;
  PatchSource source = PatchSource::zero;
  bool operator==(const Patch&) const = default;
};

/// What is changed inside a pass to see whether it matters. A plain value; every list is in the order of its
/// places, which are in it once.
struct Interventions {
  std::vector<HeadChange> heads;  ///< only those that change anything
  std::vector<GivenWeight> weights;
  std::vector<Patch> patches;

  bool empty() const { return heads.empty() && weights.empty() && patches.empty(); }
  /// Whether rows of such a site are replaced.
  bool replace(PatchSite site) const;
  /// Whether numbers of the held subject take part.
  bool take_from_held() const;
  bool operator==(const Interventions&) const = default;
};

/// What is done to a head: nothing where it is not in the list.
HeadChange change_of(const Interventions& interventions, const HeadId& place);
/// The same interventions with another change of its head, or without one that changes nothing.
Interventions with_change(Interventions interventions, const HeadChange& change);
/// With a weight given instead of the one that its cell had; below 0: with none.
Interventions with_weight(Interventions interventions, const GivenWeight& given);
/// In order, without repetitions (the last one counts), without changes that change nothing.
Interventions in_order(Interventions interventions);

}  // namespace headscope
