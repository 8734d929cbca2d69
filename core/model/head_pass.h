#pragma once

#include <atomic>
#include <vector>

#include "core/model/attention.h"

namespace headscope {

/// The heads of one attention, on their way from queries, keys and values to outputs.
struct HeadPass {
  const AttentionPlan& plan;
  AttentionBuffers& buffers;
  float factor;
  float mask_value;
  bool streams;
  const std::atomic<bool>* stop;
  /// [heads of the mask, T] How many of the first keys each query sees any of; empty: all are computed.
  std::vector<int> seen;

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// Whether maps are so large together that they are written past the caches: they would only push out what is
/// needed next.
bool maps_are_large(const AttentionShape& shape);

/// For each query the number of keys up to the last that it sees.
std::vector<int> seen_keys(const CombinedMask& mask);

/// All heads, shared out over the pool; false where the pass was stopped.
bool heads_forward(const HeadPass& pass, TaskPool& pool);

}  // namespace headscope
