#pragma once

#include <cstddef>

namespace headscope {

/// Copies `n` floats with non-temporal stores, for results larger than the caches that are not read again
/// soon. The ranges must not overlap. Call stream_fence() before another thread reads the copy.
void stream_copy(const float* from, std::size_t n, float* to);
void stream_fence();

}  // namespace headscope
