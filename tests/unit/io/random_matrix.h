#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "core/tensor/view.h"

namespace headscope {

/// Finite floats of all magnitudes, with an occasional −∞.
inline OwnedMatrix random_matrix(std::mt19937& random, int rows, int cols) {
  OwnedMatrix matrix(rows, cols);
  for (float& value : matrix.values) {
    value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(value)) value = -std::numeric_limits<float>::infinity();
  }
  return matrix;
}

}  // namespace headscope
