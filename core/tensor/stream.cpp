#include "core/tensor/stream.h"

#include <algorithm>
#include <cstdint>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace headscope {

#ifdef __SSE2__

void stream_copy(const float* from, std::size_t n, float* to) {
  constexpr std::size_t per_store = 4;
  constexpr std::uintptr_t alignment = per_store * sizeof(float);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % alignment / sizeof(float);
  std::size_t i = std::min(n, misaligned == 0 ? 0 : per_store - misaligned);
  std::copy_n(from, i, to);
  for (; i + per_store <= n; i += per_store) _mm_stream_ps(to + i, _mm_loadu_ps(from + i));
  std::copy_n(from + i, n - i, to + i);
}

void stream_fence() {
  _mm_sfence();
}

#else

void stream_copy(const float* from, std::size_t n, float* to) {
  std::copy_n(from, n, to);
}

void stream_fence() {}

#endif

}  // namespace headscope
