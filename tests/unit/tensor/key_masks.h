#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/key_mask.h"

namespace headscope {

/// The mask from row-major cells, of which those that are 1 are visible.
inline KeyMask mask_of(const std::vector<std::uint8_t>& cells, int cols) {
  KeyMask mask(1);
  for (std::size_t at = 0; at < cells.size(); at += static_cast<std::size_t>(cols)) {
    std::vector<KeyRange> ranges;
    for (int key = 0; key < cols; ++key) {
      if (cells[at + static_cast<std::size_t>(key)] != 0) add_range({key, key + 1}, ranges);
    }
    mask.add_row(ranges, mask.n_rows());
  }
  return mask;
}

}  // namespace headscope
