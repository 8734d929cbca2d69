#pragma once

#include <cstddef>

namespace headscope {

/// Copies `n` floats past the caches, without reading the destination first. This suits results that are
/// larger than the caches and are not read again soon. The ranges must not overlap. Call stream_fence()
/// before another thread reads the copy.
void stream_copy(const float* from, std::size_t n, float* to);
void stream_fence();

}  // namespace headscope
