#pragma once

#include <cstddef>
#include <vector>

#include "core/model/attention.h"
#include "core/tensor/softmax.h"

namespace headscope {

/// Whether the maps are so large that they should be written with non-temporal stores.
bool should_stream_maps(const AttentionShape& shape);

/// [mask heads, T] For each query, the number of keys up to its last visible one. Empty if the mask hides
/// none.
std::vector<int> visible_key_counts(const CombinedMask& mask, const AttentionShape& shape);

/// The ScoreBlock of a head's queries from `first` on, except for its row count and data pointers.
ScoreBlock score_block_template(const AttentionPlan& plan, const AttentionShape& shape, int head, int first);

/// The given scores of a query, from the first key on.
const float* given_scores(const AttentionShape& shape, const OwnedMatrix& scores, int row);

/// Applies a head's interventions to a row of weights, which may end before the last key.
void edit_row(const AttentionPlan& plan, const AttentionShape& shape, const HeadEdits& edits, int row,
              std::span<float> weights);

/// Computes the weights of a head's queries from `first` on from their masked scores, or reads them from a
/// capture.
void weigh(const AttentionPlan& plan, const AttentionShape& shape, int head, int first,
           const ScoreBlock& block);

/// The size of the state of a linear attention in floats: Hₖ · (K · V + K), independent of the text length.
std::size_t state_floats(const AttentionShape& shape);

/// Linear attention as a recurrence, for one query and its own key: adds φ(k) vᵀ and φ(k) to the state (S, z)
/// and outputs φ(q) S / (φ(q) · z), or 0 if the denominator is 0 (Katharopoulos et al. 2020, equations 18 to
/// 20). Interventions must not change weights, since none are computed.
void state_forward(const AttentionPlan& plan, const AttentionBuffers& buffers);

}  // namespace headscope
