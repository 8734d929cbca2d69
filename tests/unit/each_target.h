#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace headscope {

/// Whether an instruction set has fused multiply-add. All instruction sets that have it compute the same
/// numbers.
inline bool is_fused(std::int64_t target) {
#if HWY_ARCH_X86
  return (target & (HWY_AVX2 | HWY_AVX3)) != 0;
#else
  return target == HWY_NEON;
#endif
}

/// Calls work(target) for each instruction set that the kernels are compiled for and this processor has, with
/// the kernels restricted to it.
template <class Work>
void for_each_target(const Work& work) {
  const auto restrict_to = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  if (targets.back() != HWY_STATIC_TARGET) targets.push_back(HWY_STATIC_TARGET);
  for (const std::int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    restrict_to(target);
    work(target);
  }
  constexpr std::int64_t all = 0;
  restrict_to(all);
}

}  // namespace headscope
