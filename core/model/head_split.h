#pragma once

#include <span>
#include <vector>

namespace headscope {

/// One head's part of a query and a key, and their scores.
struct HeadShare {
  std::vector<float> query;
  std::vector<float> key;
  double product = 0.0;  ///< query · key
  double scaled = 0.0;   ///< product / √d_head
};

/// Cuts a query and a key of equal length into n_heads equal parts. n_heads must divide the length.
std::vector<HeadShare> split_into_heads(std::span<const float> query, std::span<const float> key,
                                        int n_heads);

}  // namespace headscope
