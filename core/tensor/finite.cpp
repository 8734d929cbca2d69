#include "core/tensor/finite.h"

#include <bit>
#include <cstdint>

namespace headscope {

bool all_finite(const float* numbers, std::size_t n) {
  constexpr std::uint32_t exponent = 0x7F800000;
  std::uint32_t n_others = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_other = (std::bit_cast<std::uint32_t>(numbers[i]) & exponent) == exponent;
    n_others |= is_other ? 1U : 0U;
  }
  return n_others == 0;
}

}  // namespace headscope
