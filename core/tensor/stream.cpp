#include "core/tensor/stream.h"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/stream.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Non-temporal stores must be vector-aligned.
void stream_floats(const float* from, std::size_t n, float* to) {
  const hn::ScalableTag<float> tag;
  constexpr std::size_t per_store = hn::MaxLanes(hn::ScalableTag<float>());
  constexpr std::uintptr_t alignment = per_store * sizeof(float);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % alignment / sizeof(float);
  std::size_t i = std::min(n, misaligned == 0 ? 0 : per_store - misaligned);
  std::copy_n(from, i, to);
  for (; i + per_store <= n; i += per_store) hn::Stream(hn::LoadU(tag, from + i), tag, to + i);
  std::copy_n(from + i, n - i, to + i);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(stream_floats);

}  // namespace

void stream_copy(const float* from, std::size_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(stream_floats)(from, n, to);
}

void stream_fence() {
  hwy::FlushStream();
}

}  // namespace headscope
#endif
