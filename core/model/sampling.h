#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

/// How the next word is sampled. Greedy takes the most likely word. Otherwise, samples from the softmax of
/// logits / temperature over the `top_k` most likely words, of which the smallest set with total probability
/// ≥ `top_p` is kept (nucleus sampling, Holtzman et al. 2020).
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

/// A candidate word with its probability.
struct Candidate {
  int word = 0;
  double probability = 0.0;
};

/// The candidates of one row of logits, most likely first, ties by index. Their probabilities sum to 1.
/// Greedy sampling has one candidate.
std::vector<Candidate> candidates(std::span<const float> logits, const Sampling& sampling);

/// Samples the word at a position; deterministic given seed, position and candidates.
int choose(std::span<const Candidate> candidates, const Sampling& sampling, int position);

}  // namespace headscope
