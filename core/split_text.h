#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

/// Splits a text at each separator. N separators give N + 1 parts.
inline std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The texts of all elements, with a separator between them.
template <class Range, class TextOf = std::identity>
std::string join_texts(const Range& all, std::string_view separator, const TextOf& text_of = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& each : all) {
    if (!std::exchange(is_first, false)) text += separator;
    text += std::invoke(text_of, each);
  }
  return text;
}

/// The first of many texts: “a, b and 3 more”.
inline std::string first_texts(const std::vector<std::string>& texts, std::size_t most,
                               std::string_view separator = ", ") {
  if (texts.size() <= most) return join_texts(texts, separator);
  return join_texts(std::span(texts).first(most), separator) + " and " + std::to_string(texts.size() - most) +
         " more";
}

/// Removes the next line from a text, and returns it without its end, LF or CRLF.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace headscope
