#pragma once

#include "core/model/attention.h"
#include "core/tensor/packed_product.h"

namespace headscope {

/// The maps of one head, from raw scores to what the values are averaged with.
enum class MapPart { raw, scaled, capped, masked, weights, dropped };

/// The maps of one head of an attention that did not keep them, computed again from its queries and keys: the
/// same numbers, to the last bit, as if it had. The softmax of a row needs the whole row, so rows are what is
/// computed; they are many times fewer than a map's. With softmax over keys only.
class HeadMaps {
 public:
  /// What `plan` refers to, and the queries and keys, must outlive it.
  HeadMaps(const AttentionPlan& plan, const AttentionBuffers& buffers, int head);

  int n_rows() const { return buffers_.shape.n_queries; }
  int n_cols() const { return buffers_.shape.n_keys; }
  /// Rows first … first + n, to out [n, S]. Any thread may call it.
  void rows(MapPart part, int first, int n, float* out) const;

 private:
  void some_rows(MapPart part, int first, int n, float* work, float* out) const;

  AttentionPlan plan_;
  AttentionBuffers buffers_;
  int head_;
  PackedMatrix keys_;
};

}  // namespace headscope
