#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

inline std::vector<Example> draw_examples(const Task& task, Split split, int n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  std::vector<Example> examples;
  examples.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) examples.push_back(task.draw(random, split));
  return examples;
}

/// The words of these ids, separated by spaces.
inline std::string words_of(const Vocabulary& vocabulary, const std::vector<int>& ids) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "" : " ") + vocabulary.word(id);
  return text;
}

/// A hash of the examples (FNV-1a).
inline std::uint64_t fingerprint(const std::vector<Example>& examples) {
  std::uint64_t h = 0xcbf29ce484222325U;
  const auto add = [&](int value) { h = (h ^ static_cast<std::uint64_t>(value + 2)) * 0x100000001b3U; };
  for (const Example& example : examples) {
    for (const std::vector<int>* ids : {&example.source, &example.target, &example.expected}) {
      for (const int id : *ids) add(id);
      add(-2);
    }
    for (const std::uint8_t parts : example.parts) add(parts);
  }
  return h;
}

/// The invariant of tasks that an example violates. Empty if there is none.
inline std::string violated_invariant(const Task& task, const Example& example) {
  const auto in_range = [&](int id) { return id >= 0 && id < task.vocabulary().size(); };
  const std::vector<int>& rows = example.target.empty() ? example.source : example.target;
  if (example.source.empty()) return "no source";
  if (!std::all_of(example.source.begin(), example.source.end(), in_range)) return "a source id out of range";
  if (!std::all_of(example.target.begin(), example.target.end(), in_range)) return "a target id out of range";
  if (static_cast<int>(std::max(example.source.size(), example.target.size())) > task.max_length())
    return "too long";
  if (example.expected.size() != rows.size() || example.parts.size() != rows.size())
    return "rows do not match";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (example.parts[row] >= 1U << task.parts().size()) return "an unknown part";
    const bool is_looked_from = !example.attention_targets.empty() && example.attention_targets[row] >= 0;
    if ((example.expected[row] == -1 && !is_looked_from) != (example.parts[row] == 0))
      return "asked in no part, or in one for nothing";
    if (example.expected[row] != -1 && !in_range(example.expected[row])) return "a wanted id out of range";
  }
  return {};
}

}  // namespace headscope
