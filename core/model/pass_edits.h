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

/// Numbers of a whole stage that are given by hand; null: it is computed.
using GivenStage = std::shared_ptr<const OwnedMatrix>;

/// Interventions in one head, with their numbers, and what is given of it by hand.
struct HeadEdits {
  int head = 0;
  float scale = 1.0F;  ///< of its output
  bool is_uniform = false;
  /// [T, S] The weights of another pass; a row that begins with NaN has none there. Empty: they are its own.
  std::vector<float> pattern;
  int n_keys = 0;                    ///< S of the pattern
  std::vector<GivenWeight> weights;  ///< in the order of their cells
  GivenStage query, key, value;      ///< [T, K], [S, K], [S, V]; interventions act after them, too
  GivenStage raw;                    ///< [T, S] scores in place of the products of queries and keys

  bool changes_weights() const { return is_uniform || !pattern.empty() || !weights.empty(); }
};

/// A token's row of a site, with the numbers that replace it.
struct RowEdit {
  PatchSite site = PatchSite::output;
  HeadId place;
  int row = 0;
  PatchSource source = PatchSource::zero;
  std::vector<float> numbers;  ///< as many as the site's row has
};

/// All rows of a site that is of no head, given by hand.
struct GivenSite {
  PatchSite site = PatchSite::input;
  HeadId place;  ///< fields that the site does not have are 0
  GivenStage numbers;
};

/// Interventions and what is given by hand, as a pass carries them out.
struct PassEdits {
  /// Those in one attention.
  struct OfAttention {
    HeadId place;  ///< its head is 0
    std::vector<HeadEdits> heads;
  };
  std::vector<OfAttention> attentions;
  std::vector<RowEdit> rows;
  std::vector<GivenSite> given;

  bool empty() const { return attentions.empty() && rows.empty() && given.empty(); }
  /// Of the heads of an attention; null where nothing is done to them.
  const std::vector<HeadEdits>* heads_of(const HeadId& attention) const;
  /// Of one head; null where nothing is done to it.
  const HeadEdits* of(const HeadId& place) const;
  /// The same to be changed; made where nothing is done to it yet.
  HeadEdits& at(HeadId head);
  /// Of a row of a site; null where it stays.
  const RowEdit* of(PatchSite site, const HeadId& place, int row) const;
};

/// The rows of a site in memory: row r begins at data + r · stride.
struct SiteRows {
  float* data = nullptr;
  int n = 0;
  std::ptrdiff_t stride = 0;
};
/// Puts what `edits`, which may be null, have of a site in place of what is there: all rows where these are
/// given, and then those that interventions replace.
void replace_rows(const PassEdits* edits, PatchSite site, const HeadId& place, const SiteRows& rows);

/// Copies rows of what is given to where they belong: row r to data + r · stride. Null: nothing is given, and
/// they stay as they are.
void place_given(const GivenStage& given, const SiteRows& rows);

/// Of one head of an attention's list; null where nothing is done to it.
const HeadEdits* edits_of(const std::vector<HeadEdits>* heads, int head);

/// What a row of weights adds up to: 1; with a sink, less, and as much as the pass that a pattern is taken
/// from has there; over queries, anything, which stays as it is.
enum class RowSums { one, less, any };
RowSums row_sums(SoftmaxAxis softmax, bool has_sinks);

/// Where a row of weights comes from, before any of them is given.
enum class WeightOrigin {
  own,      ///< softmax of its scores
  uniform,  ///< the same for every key that the mask shows; a row that sees nothing stays as it is
  held,     ///< another pass
  // Its own, although the head has the weights of another pass:
  no_counterpart,  ///< which has no such word
  nothing_held     ///< which has no weight on any key that the mask shows here
};

/// What edit_weights() did to a row.
struct WeightChange {
  WeightOrigin origin = WeightOrigin::own;
  double total = 1.0;      ///< what the row adds up to, where it sees a key
  int n_visible = 0;       ///< keys that the mask shows
  double held = 0.0;       ///< the sum of what was taken from another pass, which was scaled to the total
  int n_given = 0;         ///< given weights of cells that the mask shows
  int n_hidden = 0;        ///< given weights of cells that it hides, which are not used
  double given = 0.0;      ///< the sum of those that are used
  double others = 0.0;     ///< what the other keys of the row had
  bool fills_row = false;  ///< the given weights were scaled to the total, and leave nothing to others
};

/// What interventions make of a row of weights. A key that the mask hides keeps its weight of 0, and what is
/// left for the others adds up to 1; a row that sees nothing stays as it is.
/// \param visible [S] 1 where the mask shows the key; null: everywhere
/// \param weights those of the first keys, beyond which all are hidden; in: from softmax, out: what the
/// values are averaged with
/// \param sums what the row adds up to, and does afterwards
WeightChange edit_weights(const HeadEdits& edits, int row, const std::uint8_t* visible,
                          std::span<float> weights, RowSums sums = RowSums::one);

}  // namespace headscope
