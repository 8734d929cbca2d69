#include "core/text/choices.h"

#include <algorithm>
#include <cstddef>

#include "core/split_text.h"

namespace headscope {
namespace {

/// The alternatives of a group, or plain text as a single alternative.
using Part = std::vector<std::string>;

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> parts;
  for (;;) {
    const std::size_t first = text.find('{');
    const std::size_t close = text.find('}', std::min(first, text.size()));
    if (close == std::string_view::npos) break;
    const std::size_t open = text.rfind('{', close);
    parts.push_back({std::string(text.substr(0, open))});
    const auto alternatives = split_text(text.substr(open + 1, close - open - 1), '|');
    const bool is_group = alternatives.size() > 1;
    parts.push_back(is_group ? Part(alternatives.begin(), alternatives.end())
                             : Part{std::string(text.substr(open, close + 1 - open))});
    text.remove_prefix(close + 1);
  }
  parts.push_back({std::string(text)});
  return parts;
}

}  // namespace

std::vector<std::string> expand_alternatives(std::string_view sentence, std::size_t max_alternatives) {
  const std::vector<Part> parts = parts_of(sentence);
  std::size_t n = 1;
  for (const Part& part : parts) n = std::max(n, part.size());
  const bool agree =
      std::ranges::all_of(parts, [&](const Part& part) { return part.size() == 1 || part.size() == n; });
  if (n == 1 || n > max_alternatives || !agree) return {std::string(sentence)};
  std::vector<std::string> sentences(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const Part& part : parts) sentences[i] += part[part.size() == 1 ? 0 : i];
  }
  return sentences;
}

}  // namespace headscope
