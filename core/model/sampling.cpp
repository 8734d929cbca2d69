#include "core/model/sampling.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/tensor/descending.h"
#include "core/tensor/random.h"

namespace headscope {

std::vector<Candidate> candidates(std::span<const float> logits, const Sampling& sampling) {
  std::vector<Candidate> all;
  for (std::size_t word = 0; word < logits.size(); ++word) {
    all.push_back({static_cast<int>(word), static_cast<double>(logits[word])});
  }
  std::ranges::stable_sort(all, Descending{}, &Candidate::probability);
  if (all.empty()) return all;
  if (sampling.greedy) all.resize(1);
  if (sampling.top_k > 0) all.resize(std::min(all.size(), static_cast<std::size_t>(sampling.top_k)));
  const double temperature = static_cast<double>(sampling.temperature);
  const double largest = all.front().probability;
  double sum = 0.0;
  for (Candidate& candidate : all) {
    candidate.probability = std::exp((candidate.probability - largest) / temperature);
    sum += candidate.probability;
  }
  double kept = 0.0;
  std::size_t n = 0;
  // With top_p = 1, comparing sums would drop words that are too unlikely to change the sum.
  const bool keeps_all = sampling.top_p >= 1.0F;
  const double wanted = sum * static_cast<double>(sampling.top_p);
  while (n < all.size() && (n == 0 || keeps_all || kept < wanted)) kept += all[n++].probability;
  all.resize(n);
  for (Candidate& candidate : all) candidate.probability /= kept;
  return all;
}

int choose(std::span<const Candidate> candidates, const Sampling& sampling, int position) {
  RandomStream random(sampling.seed, "word " + std::to_string(position));
  double left = random.uniform();
  for (const Candidate& candidate : candidates) {
    left -= candidate.probability;
    if (left < 0.0) return candidate.word;
  }
  return candidates.back().word;
}

}  // namespace headscope
