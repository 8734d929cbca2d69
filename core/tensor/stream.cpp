#include "core/tensor/stream.h"

#include <algorithm>
#include <cstdint>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace headscope {

#ifdef __SSE2__

namespace {

/// The widest store past the caches that this processor has.
#if defined(__AVX512F__)
constexpr std::size_t per_store = 16;
void store(const float* from, float* to) {
  _mm512_stream_ps(to, _mm512_loadu_ps(from));
}
#elif defined(__AVX__)
constexpr std::size_t per_store = 8;
void store(const float* from, float* to) {
  _mm256_stream_ps(to, _mm256_loadu_ps(from));
}
#else
constexpr std::size_t per_store = 4;
void store(const float* from, float* to) {
  _mm_stream_ps(to, _mm_loadu_ps(from));
}
#endif

}  // namespace

void stream_copy(const float* from, std::size_t n, float* to) {
  constexpr std::uintptr_t alignment = per_store * sizeof(float);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % alignment / sizeof(float);
  std::size_t i = std::min(n, misaligned == 0 ? 0 : per_store - misaligned);
  std::copy_n(from, i, to);
  for (; i + per_store <= n; i += per_store) store(from + i, to + i);
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
