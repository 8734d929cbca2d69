#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

/// A word that may be chosen and the probability with which it is.
struct Candidate {
  int word = 0;
  double probability = 0.0;
};

/// The candidates of one row of logits, the likeliest first; ties by index. They sum to 1. Greedy leaves one.
std::vector<Candidate> candidates(std::span<const float> logits, const Sampling& sampling);

/// The word that is chosen at a position: the same seed, position and candidates choose the same word.
int choose(std::span<const Candidate> candidates, const Sampling& sampling, int position);

}  // namespace headscope
