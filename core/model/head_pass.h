#pragma once

#include <cstddef>
#include <vector>

#include "core/model/attention.h"
#include "core/tensor/softmax.h"

namespace headscope {

/// Whether the maps together are so large that they are written past the caches, because they would only
/// evict data that is needed next.
bool maps_are_large(const AttentionShape& shape);

/// [heads of the mask, T] For each query of a shape, the number of its keys up to the last one that it sees.
/// Empty if the mask hides none.
std::vector<int> seen_keys(const CombinedMask& mask, const AttentionShape& shape);

/// What is done to the scores of a head's queries from `first` on: everything about their block but its size
/// and the places of the numbers.
ScoreBlock rules_of_rows(const AttentionPlan& plan, const AttentionShape& shape, int head, int first);

/// The given scores of a query with the first key and those after it.
const float* given_scores(const AttentionShape& shape, const OwnedMatrix& scores, int row);

/// Applies a head's interventions to the weights of a query with the first keys.
void edit_row(const AttentionPlan& plan, const AttentionShape& shape, const HeadEdits& edits, int row,
              std::span<float> weights);

/// Computes rows of a head's weights from their masked scores, the first of them those of the query `first`,
/// or reads them if a capture has them.
void weigh(const AttentionPlan& plan, const AttentionShape& shape, int head, int first,
           const ScoreBlock& block);

/// How many numbers the state of a linear attention of this shape has: Hₖ · (K · V + K), whatever the length
/// of the text.
std::size_t state_floats(const AttentionShape& shape);

/// Computes the heads of a linear attention for one query and its own key. It adds φ(k) vᵀ and φ(k) to the
/// state and outputs φ(q) S / (φ(q) · z), or 0 if φ(q) · z is 0 (Katharopoulos et al. 2020, equations 18 to
/// 20). There are no weights, so interventions must not change any.
void state_forward(const AttentionPlan& plan, const AttentionBuffers& buffers);

}  // namespace headscope
