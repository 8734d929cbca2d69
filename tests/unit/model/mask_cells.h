#pragma once

#include <cstdint>
#include <vector>

#include "core/model/mask.h"

namespace headscope {

/// [n_heads, T, S] 1 where a cell is visible.
inline std::vector<std::uint8_t> cells_of(const CombinedMask& mask) {
  std::vector<std::uint8_t> cells;
  for (int head = 0; head < mask.n_heads; ++head) {
    for (int query = 0; query < mask.rows; ++query) {
      for (int key = 0; key < mask.cols; ++key) cells.push_back(mask.is_visible(head, query, key) ? 1 : 0);
    }
  }
  return cells;
}

}  // namespace headscope
