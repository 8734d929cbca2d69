#pragma once

#include "core/model/attention.h"
#include "core/model/stage.h"
#include "core/tensor/packed_product.h"

namespace headscope {

/// The maps of one head of an attention that did not keep them. They are computed again from its queries and
/// keys and have the same numbers to the last bit. The softmax of a row needs the whole row, so whole rows
/// are computed; they are far smaller than a map. This works only with softmax over keys.
class HeadMaps {
 public:
  /// The objects that `plan` refers to, and the queries and keys, must outlive this object.
  HeadMaps(const AttentionPlan& plan, const AttentionBuffers& buffers, int head);

  int n_rows() const { return buffers_.shape.n_queries; }
  int n_cols() const { return buffers_.shape.n_keys; }
  /// Writes rows first … first + n of a map, from `raw` to `dropped`, to out [n, S]. Any thread may call it.
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
