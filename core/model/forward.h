#pragma once

#include <atomic>

#include "core/model/attention_options.h"
#include "core/model/model.h"
#include "core/tensor/aligned_buffer.h"
#include "core/tensor/parallel.h"

namespace headscope {

/// Sizes of one pass.
struct ForwardShape {
  int n_tokens = 0;  ///< T (self-attention: S = T)
  int d_model = 0, n_heads = 0, d_head = 0, d_value = 0;
  bool output_projection = true;
  bool mask_changes_scores = false;  ///< false: `masked` is `scaled` itself and takes no memory

  int packed_width() const { return n_heads * (2 * d_head + d_value); }
  int concat_width() const { return n_heads * d_value; }
  std::size_t floats() const;  ///< memory of a pass, in floats
  bool operator==(const ForwardShape&) const = default;
};
ForwardShape forward_shape(const Architecture& architecture, int n_tokens, bool mask_changes_scores);

/// All numbers of one pass, in one block of memory that a later pass may take over.
struct ForwardBuffers {
  ForwardBuffers(const ForwardShape& shape, AlignedBuffer memory);

  ForwardShape shape;
  AlignedBuffer memory;
  float* embedding;  ///< [T, D]
  float* positions;  ///< [T, D]
  float* input;      ///< [T, D]
  float* packed;     ///< [T, H·K + H·K + H·V]
  float* raw;        ///< [H, T, T]
  float* scaled;     ///< [H, T, T]
  float* masked;     ///< [H, T, T]; the same address as `scaled` where no mask changes scores
  float* weights;    ///< [H, T, T]
  float* concat;     ///< [T, H·V]; head h's output is its columns h·V … (h + 1)·V
  float* projected;  ///< [T, D]; the same address as `concat` without an output projection
};

/// Multi-head self-attention from `buffers.input` on: fills packed, raw, scaled, masked, weights, concat,
/// projected. Heads run in parallel on `pool`; their rows are worked in blocks that stay in the cache, so
/// that a score is scaled, masked, normalised and used before it leaves it. False where `stop` became true.
/// Softmax subtracts the row's maximum first; a row with nothing visible under −∞ gives zeros.
bool attention_forward(const PackedAttention& weights, const AttentionOptions& options,
                       const CombinedMask& mask, ForwardBuffers& buffers, TaskPool& pool,
                       const std::atomic<bool>* stop = nullptr);

/// What one head adds to the projected output: its output · W_O's rows of this head. [T, D]
Matrix head_contribution(const AttentionWeights& weights, const ForwardBuffers& buffers, int head);

}  // namespace headscope
