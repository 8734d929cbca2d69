#include "core/text/choices.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headscope {
namespace {

/// The alternatives of a group, or plain text as a single alternative.
struct Part {
  std::vector<std::string> alternatives;
};

std::vector<std::string> split_at_bars(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t bar = text.find('|'); bar != std::string_view::npos; bar = text.find('|')) {
    parts.emplace_back(text.substr(0, bar));
    text.remove_prefix(bar + 1);
  }
  parts.emplace_back(text);
  return parts;
}

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> parts;
  for (;;) {
    const std::size_t first = text.find('{');
    const std::size_t close = text.find('}', std::min(first, text.size()));
    if (close == std::string_view::npos) break;
    const std::size_t open = text.rfind('{', close);
    parts.push_back({{std::string(text.substr(0, open))}});
    std::vector<std::string> alternatives = split_at_bars(text.substr(open + 1, close - open - 1));
    if (alternatives.size() == 1) alternatives = {std::string(text.substr(open, close + 1 - open))};
    parts.push_back({std::move(alternatives)});
    text.remove_prefix(close + 1);
  }
  parts.push_back({{std::string(text)}});
  return parts;
}

}  // namespace

std::vector<std::string> expand_alternatives(std::string_view sentence, std::size_t max_alternatives) {
  const std::vector<Part> parts = parts_of(sentence);
  std::size_t n = 1;
  for (const Part& part : parts) n = std::max(n, part.alternatives.size());
  const bool agree = std::ranges::all_of(parts, [&](const Part& part) {
    return part.alternatives.size() == 1 || part.alternatives.size() == n;
  });
  if (n == 1 || n > max_alternatives || !agree) return {std::string(sentence)};
  std::vector<std::string> sentences(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const Part& part : parts) sentences[i] += part.alternatives[part.alternatives.size() == 1 ? 0 : i];
  }
  return sentences;
}

}  // namespace headscope
