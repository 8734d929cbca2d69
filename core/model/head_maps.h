#pragma once

#include "core/model/attention.h"
#include "core/model/stage.h"
#include "core/tensor/packed_product.h"

namespace headscope {

/// Recomputes the maps of one head of an attention that did not store them, bit-identical, from its queries
/// and keys. Computes entire rows, because softmax needs them. Requires softmax over keys.
class HeadMaps {
 public:
  /// The referents of `plan`, and the queries and keys, must outlive this object.
  HeadMaps(const AttentionPlan& plan, const AttentionBuffers& buffers, int head);

  int n_rows() const { return buffers_.shape.n_queries; }
  int n_cols() const { return buffers_.shape.n_keys; }
  /// Writes rows [first, first + n) of a map (`raw` … `dropped`) to out [n, S]. Thread-safe.
  void rows(StageKind map, int first, int n, float* out) const;

 private:
  void raw_scores(int first, int n, float* raw) const;
  void some_rows(StageKind map, int first, int n, float* work, float* out) const;

  AttentionPlan plan_;
  AttentionBuffers buffers_;
  int head_;
  PackedMatrix keys_;
};

}  // namespace headscope
