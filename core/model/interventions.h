#pragma once

#include <compare>
#include <string>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/mask.h"
#include "core/model/stage.h"

namespace headscope {

/// A head of the model.
struct HeadId {
  Stack stack = Stack::encoder;
  AttentionKind attention = AttentionKind::self;
  int layer = 0;
  int head = 0;
  auto operator<=>(const HeadId&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// The stage of a kind in a head.
StageId stage_in(const HeadId& head, StageKind kind);
/// The head that a stage of a head belongs to.
HeadId head_of(const StageId& stage);

/// A part of a model that can be switched off or taken from another pass.
struct ModelPart {
  enum class Kind { head, feed_forward, layer };
  Kind kind = Kind::head;
  HeadId place;  ///< If it is not a head, only the stack and the layer count; the others are 0.
  auto operator<=>(const ModelPart&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// Every part of a model, layer by layer: the heads, the feed-forward layer, and the layer as a whole.
std::vector<ModelPart> parts_of(const Architecture& architecture);
/// Every head among them.
std::vector<HeadId> heads_of(const Architecture& architecture);

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

/// Whether tokens' rows of a stage of this kind can be replaced: it has a row for each token, and others are
/// computed from it.
bool can_be_patched(StageKind kind);

/// What replaces a row.
enum class PatchSource {
  zero,
  held,           ///< The same token's row in the held subject.
  mean,           ///< The mean of the stage's rows over all tokens of some texts (mean ablation).
  position_mean,  ///< The same over the tokens at the row's position.
  scaled          ///< The computed row, multiplied by a factor.
};

inline bool is_mean(PatchSource source) {
  return source == PatchSource::mean || source == PatchSource::position_mean;
}

/// Stands for all rows of a stage, but those that another patch replaces.
inline constexpr int every_row = -1;
/// The largest absolute value of a factor of a row.
inline constexpr float max_row_factor = 100.0F;

/// A token's row of a stage, or all rows, replaced before anything is computed from them.
struct Patch {
  StageId stage = {.kind = StageKind::output};
  int row = 0;
  PatchSource source = PatchSource::zero;
  float factor = 1.0F;  ///< For scaled rows; otherwise 1.
  bool operator==(const Patch&) const = default;
};

/// What is changed inside a pass to see whether it matters. A plain value. Every list is sorted by place, and
/// each place occurs once.
struct Interventions {
  std::vector<HeadChange> heads;  ///< Only the changes that have an effect.
  std::vector<GivenWeight> weights;
  std::vector<Patch> patches;
  /// The texts whose rows are averaged, one on each line. If there are none, they are held-out texts of the
  /// model's task or, if it has none, random ones.
  std::string mean_over;

  /// Whether nothing is changed.
  bool empty() const { return heads.empty() && weights.empty() && patches.empty(); }
  /// Whether a row is replaced by a mean.
  bool take_means() const;
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
