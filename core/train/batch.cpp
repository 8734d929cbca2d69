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
  const auto weight_of = [&](std::uint8_t bits) {
    float weight = 0.0F;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (((bits >> p) & 1) != 0) weight += parts[p].weight / static_cast<float>(counts[p]);
    }
    return weight;
  };
  std::vector<Shard> shards(static_cast<std::size_t>(n_shards));
  for (std::size_t s = 0; s < shards.size(); ++s) {
    const std::size_t begin = examples.size() * s / shards.size();
    const std::size_t end = examples.size() * (s + 1) / shards.size();
    Shard& shard = shards[s];
    shard.first_example = static_cast<int>(begin);
    for (const Example& example : examples.subspan(begin, end - begin)) {
      shard.source.add(example.source);
      if (!example.target.empty()) shard.target.add(example.target);
      shard.wanted.insert(shard.wanted.end(), example.wanted.begin(), example.wanted.end());
      shard.parts.insert(shard.parts.end(), example.parts.begin(), example.parts.end());
      for (const std::uint8_t bits : example.parts) shard.weight.push_back(weight_of(bits));
    }
  }
  return shards;
}

}  // namespace headscope
