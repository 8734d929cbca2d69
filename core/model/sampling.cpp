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
  if (all.empty()) return all;
  std::size_t n_likeliest = all.size();
  if (sampling.top_k > 0) n_likeliest = std::min(n_likeliest, static_cast<std::size_t>(sampling.top_k));
  if (sampling.greedy) n_likeliest = 1;
  const auto is_before = [](const Candidate& a, const Candidate& b) {
    const Descending is_likelier;
    if (is_likelier(a.probability, b.probability)) return true;
    return !is_likelier(b.probability, a.probability) && a.word < b.word;
  };
  if (n_likeliest < all.size()) {
    std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(n_likeliest), is_before);
    all.resize(n_likeliest);
  }
  std::ranges::sort(all, is_before);
  const double temperature = static_cast<double>(sampling.temperature);
  const double largest = all.front().probability;
  double sum = 0.0;
  for (Candidate& candidate : all) {
    candidate.probability = std::exp((candidate.probability - largest) / temperature);
    sum += candidate.probability;
  }
  double kept = 0.0;
  std::size_t n = 0;
  // With top_p = 1, comparing sums would drop words whose probabilities vanish in rounding.
  const bool keeps_all = sampling.top_p >= 1.0F;
  const double threshold = sum * static_cast<double>(sampling.top_p);
  while (n < all.size() && (n == 0 || keeps_all || kept < threshold)) kept += all[n++].probability;
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
