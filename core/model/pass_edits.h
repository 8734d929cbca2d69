#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/model/attention_options.h"
#include "core/model/interventions.h"
#include "core/tensor/view.h"

namespace headscope {

/// The numbers of a stage if entered by the user. Null if it is computed.
using GivenStage = std::shared_ptr<const OwnedMatrix>;

/// The interventions on one head with their numbers, and its stages entered by the user.
struct HeadEdits {
  int head = 0;
  float scale = 1.0F;  ///< The factor of its output.
  bool is_uniform = false;
  /// [T, S] The weights of another pass; a row that begins with NaN has no counterpart there. Empty if
  /// unused.
  std::vector<float> pattern;
  int n_keys = 0;                    ///< S of the pattern.
  std::vector<GivenWeight> weights;  ///< Sorted by cell.
  GivenStage raw;                    ///< [T, S] Given scores, which replace Q Kᵀ

  bool changes_weights() const { return is_uniform || !pattern.empty() || !weights.empty(); }
};

/// A patch with its numbers.
struct RowEdit {
  StageId stage;  ///< canonical(), like all stages in PassEdits
  int row = 0;    ///< or every_row
  PatchSource source = PatchSource::zero;
  std::vector<float> numbers;      ///< The replacement row. Empty if the row is scaled.
  float factor = 1.0F;             ///< As in Patch.
  bool is_from_every_row = false;  ///< Whether it comes from a patch of every row

  bool applies_to(const StageId& id, int index) const {
    return stage == id && (row == index || row == every_row);
  }
};

/// The interventions and given stages in the form that a pass executes.
struct PassEdits {
  /// The edits in one attention.
  struct AttentionEdits {
    HeadId place;  ///< Its head is 0.
    std::vector<HeadEdits> heads;
  };
  std::vector<AttentionEdits> attentions;
  std::vector<RowEdit> rows;
  /// The stages entered by the user. Interventions also apply to them.
  std::vector<std::pair<StageId, GivenStage>> given;

  bool empty() const { return attentions.empty() && rows.empty() && given.empty(); }
  /// The edits of the heads of an attention, or null.
  const std::vector<HeadEdits>* heads_of(const HeadId& attention) const;
  /// The edits of one head. Null if there are none.
  const HeadEdits* of(const HeadId& place) const;
  /// The edits of one head, created if missing.
  HeadEdits& at(HeadId head);
  /// The edit of one row of a canonical() stage; a patch of that row overrides one of every row. Null if
  /// unchanged.
  const RowEdit* of(const StageId& stage, int row) const;
};

/// Mutable rows of a stage: row first + r begins at data + r · stride.
struct MutableRows {
  float* data = nullptr;
  int first = 0;
  int n = 0;
  std::ptrdiff_t stride = 0;
  int width = 0;
};
/// Applies the edits of a stage: given rows first, then patches.
void apply_row_edits(const PassEdits& edits, const StageId& stage, const MutableRows& rows);

/// Finds the edits of one head, or returns null.
const HeadEdits* edits_of(const std::vector<HeadEdits>* heads, int head);

/// The sum of a row of weights. `one`: 1. `less`: below 1, with a sink; a pattern from another pass keeps its
/// sum. `any`: any sum, which edits preserve, with softmax over queries.
enum class RowSums { one, less, any };
RowSums row_sums(SoftmaxAxis softmax, bool has_sinks);

/// The source of a row of weights, before given weights are applied.
enum class WeightOrigin {
  own,       ///< The softmax of its scores.
  uniform,   ///< The same weight for every visible key; rows without visible keys are unchanged.
  compared,  ///< The weights of another pass.
  // The row keeps its own weights although the head uses those of another pass, because …
  no_counterpart,   ///< … the other pass has no such word.
  nothing_compared  ///< … the other pass has no weight on any key visible here.
};

/// The effect of edit_weights() on a row.
struct WeightChange {
  WeightOrigin origin = WeightOrigin::own;
  double total = 1.0;     ///< The sum of the row if it has visible keys
  int n_visible = 0;      ///< The number of visible keys
  double compared = 0.0;  ///< The sum of the weights from another pass before scaling
  int n_given = 0;        ///< The number of given weights in visible cells
  int n_hidden = 0;       ///< The number of given weights in hidden cells, which are ignored
  double given = 0.0;     ///< The sum of the given weights in visible cells
  double others = 0.0;    ///< The previous sum of the other weights
  /// Whether the given weights were scaled to the total, leaving nothing for other keys.
  bool fills_row = false;
};

/// Applies the interventions to a row of weights. Hidden keys keep weight 0; the row keeps the sum that
/// `sums` specifies. Rows without visible keys are unchanged.
/// \param visible The visible keys.
/// \param weights The weights of the keys from visible.first on; all later keys are hidden. In: the output of
/// softmax. Out: the weights that average the values. \param sums The sum of the row, before and after.
WeightChange edit_weights(const HeadEdits& edits, int row, const VisibleKeys& visible,
                          std::span<float> weights, RowSums sums = RowSums::one);

}  // namespace headscope
