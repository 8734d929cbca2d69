#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/mask.h"
#include "core/model/stage.h"
#include "core/tensor/view.h"

namespace headscope {

/// Numbers entered by the user that override those of a parameter or stage. Immutable; copies share them.
struct GivenMatrix {
  std::string path;                            ///< The path of the parameter or stage
  std::shared_ptr<const OwnedMatrix> numbers;  ///< Never null; all finite

  friend bool operator==(const GivenMatrix& a, const GivenMatrix& b) {
    return a.path == b.path && (a.numbers == b.numbers || *a.numbers == *b.numbers);
  }
};

/// All overrides, sorted by path, each path once. A plain value.
struct GivenNumbers {
  std::vector<GivenMatrix> all;

  bool empty() const { return all.empty(); }
  /// The numbers given for a path, or null.
  std::shared_ptr<const OwnedMatrix> at(std::string_view path) const;
  bool operator==(const GivenNumbers&) const = default;
};

/// Returns `given` with the numbers of one path added or replaced.
GivenNumbers with_given(GivenNumbers given, GivenMatrix matrix);
/// Returns `given` without the numbers of a path.
GivenNumbers without_given(GivenNumbers given, std::string_view path);

/// A head of the model.
struct HeadId {
  Stack stack = Stack::encoder;
  AttentionKind attention = AttentionKind::self;
  int layer = 0;
  int head = 0;
  auto operator<=>(const HeadId&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// The stage of `kind` in a head.
StageId stage_in(const HeadId& head, StageKind kind);
/// The head of a per-head stage.
HeadId head_of(const StageId& stage);

/// A part of a model that can be ablated or patched.
struct ModelPart {
  enum class Kind { head, feed_forward, layer };
  Kind kind = Kind::head;
  HeadId place;  ///< Only stack and layer matter unless it is a head; the rest is 0.
  auto operator<=>(const ModelPart&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// All parts of a model, layer by layer: heads, feed-forward layer, entire layer.
std::vector<ModelPart> parts_of(const Architecture& architecture);
/// All heads of a model, layer by layer.
std::vector<HeadId> heads_of(const Architecture& architecture);

/// The source of a head's weights.
enum class Pattern {
  own,      ///< The softmax of its scores.
  uniform,  ///< The same weight for every key that the mask shows.
  compared  ///< The weights of the same head in the compared subject.
};

/// The maximum factor of a head's output.
inline constexpr float max_head_scale = 2.0F;

/// An intervention on one head.
struct HeadChange {
  HeadId place;
  float scale = 1.0F;  ///< The factor of its output; 0 ablates the head.
  Pattern pattern = Pattern::own;
  bool operator==(const HeadChange&) const = default;
};

/// A weight entered by the user, from 0 to 1. The other weights of the row are rescaled to keep its sum.
/// Given weights that exceed the row sum, or that leave no other key, are scaled to it. In a cell hidden by
/// the mask, the weight is ignored but kept, since the mask may be switched off again.
struct GivenWeight {
  HeadId place;
  Cell cell;
  float weight = 0.0F;
  bool operator==(const GivenWeight&) const = default;
};

/// Whether rows of this kind of stage can be patched: it has a row per token, and other stages depend on it.
bool can_be_patched(StageKind kind);

/// The replacement of a row.
enum class PatchSource {
  zero,
  compared,       ///< The same token's row in the compared subject.
  mean,           ///< Mean ablation: the stage's mean over all tokens of some texts.
  position_mean,  ///< The same, over tokens at the row's position only.
  scaled          ///< The computed row, multiplied by a factor.
};

inline bool is_mean(PatchSource source) {
  return source == PatchSource::mean || source == PatchSource::position_mean;
}

/// Stands for all rows of a stage without a patch of their own.
inline constexpr int every_row = -1;
/// The maximum absolute factor of a row.
inline constexpr float max_row_factor = 100.0F;

/// Activation patching: replaces one or all rows of a stage before anything is computed from them.
struct Patch {
  StageId stage = {.kind = StageKind::output};
  int row = 0;
  PatchSource source = PatchSource::zero;
  float factor = 1.0F;  ///< For scaled rows; otherwise 1.
  bool operator==(const Patch&) const = default;
};

/// The interventions in a pass. A plain value. Each list is sorted by place without duplicates.
struct Interventions {
  std::vector<HeadChange> heads;  ///< Only changes that have an effect
  std::vector<GivenWeight> weights;
  std::vector<Patch> patches;
  /// The texts to average over, one per line. If empty, held-out texts of the model's task or, without a
  /// task, random ones.
  std::string mean_over;

  bool empty() const { return heads.empty() && weights.empty() && patches.empty(); }
  /// Whether any row is replaced by a mean.
  bool uses_means() const;
  /// Whether any numbers come from the compared subject.
  bool take_from_compared() const;
  bool operator==(const Interventions&) const = default;
};

/// The intervention on a head, or a default without effect.
HeadChange change_of(const Interventions& interventions, const HeadId& place);
/// Replaces the change of a head, or removes it if `change` has no effect.
Interventions with_change(Interventions interventions, const HeadChange& change);
/// Replaces the given weight of a cell, or removes it if the weight is negative.
Interventions with_weight(Interventions interventions, const GivenWeight& given);
/// Sorts the interventions and removes duplicates (the last one wins) and changes without effect.
Interventions in_order(Interventions interventions);

}  // namespace headscope
