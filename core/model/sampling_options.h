#pragma once

#include <cstdint>

namespace headscope {

/// How the next word is chosen. Greedy takes the likeliest. Otherwise it is drawn from the softmax of
/// logits / temperature, after all but the likeliest words were left out: at most `top_k` of them, and of
/// those as few as together reach `top_p` (Holtzman et al. 2020).
struct Sampling {
  bool greedy = true;
  float temperature = 1.0F;
  int top_k = 0;       ///< 0: as many as there are
  float top_p = 1.0F;  ///< 1: all
  std::uint64_t seed = 0;
  bool operator==(const Sampling&) const = default;
};

inline constexpr float min_sampling_temperature = 0.05F;
inline constexpr float max_sampling_temperature = 5.0F;

}  // namespace headscope
