#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "core/model/attention.h"
#include "core/tensor/softmax.h"

namespace headscope {

/// The heads of one attention, while their outputs are computed from queries, keys and values.
struct HeadPass {
  const AttentionPlan& plan;
  AttentionBuffers& buffers;
  float factor;
  float mask_value;
  bool streams;
  const std::atomic<bool>* stop;
  /// [heads of the mask, T] For each query, the number of keys up to the last one that it sees. Empty if all
  /// keys are computed.
  std::vector<int> seen;

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// Whether the maps together are so large that they are written past the caches, because they would only
/// evict data that is needed next.
bool maps_are_large(const AttentionShape& shape);

/// For each query, the number of keys up to the last one that it sees.
std::vector<int> seen_keys(const CombinedMask& mask);

/// Computes rows of a head's weights from their masked scores, the first of them those of the query `first`,
/// or reads them if a capture has them.
void weigh(const AttentionPlan& plan, const AttentionShape& shape, int head, int first,
           const ScoreBlock& block);

/// Computes all heads, distributed over the pool. Returns false if the pass was stopped.
bool heads_forward(const HeadPass& pass, TaskPool& pool);

/// How many numbers the state of a linear attention of this shape has: Hₖ · (K · V + K), whatever the length
/// of the text.
std::size_t state_floats(const AttentionShape& shape);

/// Computes the heads of a linear attention for one query and its own key. It adds φ(k) vᵀ and φ(k) to the
/// state and outputs φ(q) S / (φ(q) · z), or 0 if φ(q) · z is 0 (Katharopoulos et al. 2020, equations 18 to
/// 20). There are no weights, so interventions must not change any.
void state_forward(const AttentionPlan& plan, AttentionBuffers& buffers);

}  // namespace headscope
