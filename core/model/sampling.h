#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

/// How the next word is chosen. Greedy sampling takes the likeliest word. Otherwise the word is drawn from
/// the softmax of logits / temperature over the likeliest words: at most `top_k` of them, and of those the
/// fewest whose probabilities together reach `top_p` (Holtzman et al. 2020).
struct Sampling {
  bool greedy = true;
  float temperature = 1.0F;
  int top_k = 0;       ///< 0 keeps all words.
  float top_p = 1.0F;  ///< 1 keeps all words.
  std::uint64_t seed = 0;
  bool operator==(const Sampling&) const = default;
};

inline constexpr float min_sampling_temperature = 0.05F;
inline constexpr float max_sampling_temperature = 5.0F;

/// A word that may be chosen, with its probability.
struct Candidate {
  int word = 0;
  double probability = 0.0;
};

/// The candidates of one row of logits, the likeliest first and ties by index. Their probabilities sum to 1.
/// With greedy sampling there is only one.
std::vector<Candidate> candidates(std::span<const float> logits, const Sampling& sampling);

/// The word that is chosen at a position. The same seed, position and candidates always give the same word.
int choose(std::span<const Candidate> candidates, const Sampling& sampling, int position);

}  // namespace headscope
