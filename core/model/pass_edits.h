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

/// The numbers of a whole stage if a person gave them. Null if the stage is computed.
using GivenStage = std::shared_ptr<const OwnedMatrix>;

/// The interventions in one head, with their numbers, and the stages of it that a person gave.
struct HeadEdits {
  int head = 0;
  float scale = 1.0F;  ///< The factor of its output.
  bool is_uniform = false;
  /// [T, S] The weights of another pass. A row that begins with NaN has no counterpart there. Empty if the
  /// head uses its own weights.
  std::vector<float> pattern;
  int n_keys = 0;                    ///< S of the pattern.
  std::vector<GivenWeight> weights;  ///< Sorted by cell.
  GivenStage raw;                    ///< [T, S] Scores in place of the products of queries and keys.

  bool changes_weights() const { return is_uniform || !pattern.empty() || !weights.empty(); }
};

/// A patch, with the numbers that replace the row.
struct RowEdit {
  StageId stage;  ///< canonical(), as is every stage in PassEdits.
  int row = 0;    ///< Or every_row.
  PatchSource source = PatchSource::zero;
  std::vector<float> numbers;  ///< As many as a row of the stage has. Empty if the row is scaled.
  float factor = 1.0F;         ///< As in Patch.
  bool of_every = false;       ///< Whether it is one of those of a patch of every row.

  bool concerns(const StageId& id, int index) const {
    return stage == id && (row == index || row == every_row);
  }
};

/// All rows of a stage, given by a person. Interventions act on given stages as well.
struct GivenRows {
  StageId stage;
  GivenStage numbers;
};

/// The interventions and the given stages, in the form in which a pass carries them out.
struct PassEdits {
  /// The edits in one attention.
  struct OfAttention {
    HeadId place;  ///< Its head is 0.
    std::vector<HeadEdits> heads;
  };
  std::vector<OfAttention> attentions;
  std::vector<RowEdit> rows;
  std::vector<GivenRows> given;

  bool empty() const { return attentions.empty() && rows.empty() && given.empty(); }
  /// The edits of the heads of an attention. Null if there are none.
  const std::vector<HeadEdits>* heads_of(const HeadId& attention) const;
  /// The edits of one head. Null if there are none.
  const HeadEdits* of(const HeadId& place) const;
  /// The edits of one head, to be changed. They are created if there are none yet.
  HeadEdits& at(HeadId head);
  /// The edit of one row of a canonical() stage, where one of that row goes before one of every row. Null if
  /// the row stays unchanged.
  const RowEdit* of(const StageId& stage, int row) const;
};

/// Rows of a stage in memory, the first of them row `first` of the stage. Row first + r begins at data + r ·
/// stride.
struct RowsInPlace {
  float* data = nullptr;
  int first = 0;
  int n = 0;
  std::ptrdiff_t stride = 0;
  int width = 0;
};
/// Puts the edits of a stage in place: all rows, if they are given, and then those that interventions
/// replace.
void replace_rows(const PassEdits& edits, const StageId& stage, const RowsInPlace& rows);

/// The edits of one head in an attention's list. Null if there are none.
const HeadEdits* edits_of(const std::vector<HeadEdits>* heads, int head);

/// What a row of weights adds up to. `one`: 1. `less`: less than 1, with a sink; if a pattern is taken from
/// another pass, the row adds up to the sum that it has there. `any`: any sum, which stays the same, with
/// softmax over queries.
enum class RowSums { one, less, any };
RowSums row_sums(SoftmaxAxis softmax, bool has_sinks);

/// Where a row of weights comes from before any single weight is given.
enum class WeightOrigin {
  own,      ///< The softmax of its scores.
  uniform,  ///< The same weight for every key that the mask shows; a row that sees nothing stays as it is.
  held,     ///< The weights of another pass.
  // The row has its own weights, although the head uses those of another pass:
  no_counterpart,  ///< The other pass has no such word.
  nothing_held     ///< The other pass has no weight on any key that the mask shows here.
};

/// What edit_weights() did to a row.
struct WeightChange {
  WeightOrigin origin = WeightOrigin::own;
  double total = 1.0;   ///< What the row adds up to if it sees a key.
  int n_visible = 0;    ///< The number of keys that the mask shows.
  double held = 0.0;    ///< The sum of the weights from another pass before they were scaled to the total.
  int n_given = 0;      ///< The number of given weights in cells that the mask shows.
  int n_hidden = 0;     ///< The number of given weights in hidden cells, which are not used.
  double given = 0.0;   ///< The sum of the given weights that are used.
  double others = 0.0;  ///< The sum that the other keys of the row had.
  /// Whether the given weights were scaled to the total and leave nothing to the other keys.
  bool fills_row = false;
};

/// Applies the interventions to a row of weights. A key that the mask hides keeps its weight of 0, and the
/// other weights add up to what `sums` says. A row that sees nothing stays as it is.
/// \param visible The keys that the mask shows.
/// \param weights The weights of the keys from visible.first on; all keys after them are hidden. On entry the
/// output of softmax, on return the weights that average the values. \param sums What the row adds up to,
/// before and after.
WeightChange edit_weights(const HeadEdits& edits, int row, const VisibleKeys& visible,
                          std::span<float> weights, RowSums sums = RowSums::one);

}  // namespace headscope
