#include "core/train/batch.h"

#include <algorithm>

namespace headscope {

void Sequences::add(std::span<const int> tokens) {
  int next = 0;
  for (const int id : tokens) {
    ids.push_back(id);
    position.push_back(next++);
  }
  first.push_back(static_cast<int>(ids.size()));
}

std::vector<int> rows_of_parts(std::span<const Example> examples, std::size_t n_parts) {
  std::vector<int> rows(n_parts, 0);
  for (const Example& example : examples) {
    for (const std::uint8_t bits : example.parts) {
      for (std::size_t p = 0; p < n_parts; ++p) rows[p] += (bits >> p) & 1;
    }
  }
  return rows;
}

std::vector<Shard> shards_of(std::span<const Example> examples, std::span<const LossPart> parts,
                             int n_shards) {
  const std::vector<int> counts = rows_of_parts(examples, parts.size());
  double total = 0.0;
  for (const LossPart& part : parts) total += static_cast<double>(part.weight);
  const auto weight_of_part = [&](std::size_t p) {
    return static_cast<double>(parts[p].weight) / total / counts[p];
  };
  std::uint8_t of_words = 0;  // The bits of parts for words
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].is_attention_loss) of_words |= static_cast<std::uint8_t>(1U << p);
  }
  const auto weight_of = [&](std::uint8_t bits) {
    double weight = 0.0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (((bits & of_words) >> p & 1) != 0) weight += weight_of_part(p);
    }
    return weight;
  };
  const bool teaches = std::ranges::any_of(parts, &LossPart::is_attention_loss);
  std::vector<Shard> shards(static_cast<std::size_t>(n_shards));
  for (std::size_t s = 0; s < shards.size(); ++s) {
    const std::size_t begin = examples.size() * s / shards.size();
    const std::size_t end = examples.size() * (s + 1) / shards.size();
    Shard& shard = shards[s];
    shard.first_example = static_cast<int>(begin);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (!parts[p].is_attention_loss) continue;
      shard.attention_loss_part = p;
      shard.attention_loss_weight = counts[p] == 0 ? 0.0 : weight_of_part(p);
    }
    for (const Example& example : examples.subspan(begin, end - begin)) {
      shard.source.add(example.source);
      if (!example.target.empty()) shard.target.add(example.target);
      shard.expected.insert(shard.expected.end(), example.expected.begin(), example.expected.end());
      for (const std::uint8_t bits : example.parts) shard.parts.push_back(bits & of_words);
      shard.attention_targets.insert(shard.attention_targets.end(), example.attention_targets.begin(),
                                     example.attention_targets.end());
      if (teaches) shard.attention_targets.resize(shard.parts.size(), -1);
      for (const std::uint8_t bits : example.parts) shard.weight.push_back(weight_of(bits));
    }
  }
  return shards;
}

}  // namespace headscope
