#pragma once

#include <vector>

#include "core/model/head_pass.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/softmax.h"

namespace headscope {

/// The number of rows of `n` scores in a block. With their weights, they fit into a core's second-level
/// cache.
int block_rows(int n);
/// The number of rows in a chunk, which fits into a core's first-level cache. Rows of short sentences are
/// processed together, so that they fill whole vectors.
int chunk_rows(int n);

/// The memory that one thread needs in addition to the pass's own buffers. It is reused from head to head.
struct ScoreWorkspace {
  PackedMatrix keys;
  PackedMatrix values;
  int kv_head = -1;      ///< The head that the keys and values belong to.
  AlignedBuffer scores;  ///< If maps are streamed: a block of raw scores, a block of weights and some chunks.
  std::vector<float> hidden,
      nothing;  ///< Masked scores and weights of the keys at the ends of rows that no query sees.

  explicit ScoreWorkspace(const HeadPass& pass);
};

/// Rows first … last of one head, at their places in the pass's maps.
ScoreBlock score_block(const HeadPass& pass, int head, int first, int last);

/// The same rows while they are in the workspace.
ScoreBlock workspace_block(const HeadPass& pass, const ScoreBlock& place, const ScoreWorkspace& work,
                           int first_in_block);

/// Copies rows from the workspace to the pass's maps, past the caches.
void publish(const ScoreBlock& from, const ScoreBlock& to);

}  // namespace headscope
