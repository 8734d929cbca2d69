#pragma once

#include <vector>

#include "core/model/head_pass.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/softmax.h"

namespace headscope {

/// How many rows of `n` scores, a block of them, stay in a core's second-level cache with their weights.
int block_rows(int n);
/// How many of those stay in its first-level cache; short sentences use whole vectors.
int chunk_rows(int n);

/// The memory one thread needs besides the pass's own buffers, kept from head to head.
struct Workspace {
  PackedMatrix keys;
  PackedMatrix values;
  int kv_head = -1;      ///< whose they are
  AlignedBuffer scores;  ///< where maps are streamed: a block of raw scores, one of weights, some chunks
  std::vector<float> hidden,
      nothing;  ///< the ends of rows: masked scores and weights of keys that nobody sees

  explicit Workspace(const HeadPass& pass);
};

/// Rows first … last of one head where they belong in the pass's maps.
ScoreBlock score_block(const HeadPass& pass, int head, int first, int last);

/// The same rows on their way through the workspace.
ScoreBlock workspace_block(const HeadPass& pass, const ScoreBlock& place, const Workspace& work,
                           int first_in_block);

/// Copies rows from the workspace to the pass's maps, past the caches.
void publish(const ScoreBlock& from, const ScoreBlock& to);

}  // namespace headscope
