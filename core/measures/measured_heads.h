#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/measures/measure.h"
#include "core/slices.h"
#include "core/trace/trace.h"

namespace headscope {

/// Longer texts are not measured, because all heads together would have too many weights.
inline constexpr int max_measured_tokens = 1024;

/// The text of an attention, without padding. `place` gives the stack and attention.
MeasuredText measured_text(const Trace& trace, const StageId& place, const DetectorOptions& detector = {});

/// Calls `visit` for every row of a head's weights.
void for_each_row(const Trace& trace, const StageId& head, const MeasuredText& text,
                  const std::function<void(const MeasuredRow&)>& visit);

/// Adds all rows of a head's weights.
void add_head(const Trace& trace, const StageId& head, const MeasuredText& text, MeasureSums& sums);

/// The measures of the heads of all measured layers, in the order layer · heads + head.
struct MeasuredHeads {
  int n_heads = 1;
  std::vector<HeadMeasures> heads;
  /// The maximum number of rows, over all heads, that a measure is averaged over.
  std::array<double, n_measures> rows{};
  int n_texts = 1;  ///< The number of texts that they are averaged over.

  /// The measures of a head, empty if it was not measured.
  HeadMeasures at(const HeadIndex& place) const;
};

/// Measures all heads of a stack and attention, given by `place`. A slice is one head.
Slices<MeasuredHeads> measured_heads(const Trace& trace, StageId place, DetectorOptions detector = {});

/// Why a measure is absent: it does not apply to this attention, or to no row of the text.
std::string why_absent(HeadMeasure measure, AttentionKind attention);

/// The elementwise mean or maximum of the attention weights of several heads, [queries, keys]. `place` gives
/// the stack and attention. Hidden cells count as 0. `heads` must be non-empty and in the pass. A slice is
/// one head.
Slices<OwnedMatrix> combined_weights(const Trace& trace, StageId place, std::vector<HeadIndex> heads,
                                     bool use_max);

/// Attention rollout (Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers"), of the
/// self-attention of a stack: R = Ãₗ … Ã₁ Ã₀, where Ã = ½ (mean of the heads) + ½ I accounts for the residual
/// connection, with rows normalised to sum to 1. R [tokens, tokens] estimates how much of each input token is
/// in each token after layer `through`. A slice is one head.
Slices<OwnedMatrix> rollout(const Trace& trace, Stack stack, int through);

/// The rollout of given weights: the maps [n, n] of the heads of each layer.
OwnedMatrix rollout(const std::vector<std::vector<MatrixView>>& layers);

}  // namespace headscope
