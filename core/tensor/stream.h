#pragma once

#include <cstddef>

namespace headscope {

/// Copies `n` floats past the caches, without reading the destination first: for results larger than the
/// caches that are not read again soon. Ranges must not overlap. Call stream_fence() before another thread
/// reads them.
void stream_copy(const float* from, std::size_t n, float* to);
void stream_fence();

}  // namespace headscope
