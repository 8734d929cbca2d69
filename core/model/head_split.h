#pragma once

#include <span>
#include <vector>

namespace headscope {

/// One head's slice of a query and a key, and their scores.
struct HeadSlice {
  std::vector<float> query;
  std::vector<float> key;
  double product = 0.0;  ///< query · key
  double scaled = 0.0;   ///< product / √d_head
};

/// Splits a query and a key of equal length into n_heads equal slices. n_heads must divide the length.
std::vector<HeadSlice> split_into_heads(std::span<const float> query, std::span<const float> key,
                                        int n_heads);

}  // namespace headscope
