#include "core/measures/head_index.h"

#include <charconv>

#include "core/trace/place_text.h"

namespace headscope {

std::string head_name(const HeadIndex& place) {
  return head_label(place.layer, place.head);
}

std::optional<HeadIndex> parse_head_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view text, int& value) {
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return !text.empty() && text.front() != '-' && read.ec == std::errc() && read.ptr == end;
  };
  HeadIndex place;
  const bool is_read = number(name.substr(0, dot), place.layer) && number(name.substr(dot + 1), place.head);
  return is_read ? std::optional(place) : std::nullopt;
}

}  // namespace headscope
