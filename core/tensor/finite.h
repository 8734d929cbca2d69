#pragma once

#include <cstddef>

namespace headscope {

/// Whether none of n numbers is NaN or infinite.
bool all_finite(const float* numbers, std::size_t n);

}  // namespace headscope
