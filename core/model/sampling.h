#pragma once

#include <span>
#include <vector>

#include "core/model/sampling_options.h"

namespace headscope {

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
