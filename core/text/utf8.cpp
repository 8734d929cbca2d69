#include "core/text/utf8.h"

#include <utf8proc.h>

namespace headscope {
namespace {

constexpr char32_t replacement = 0xFFFD;

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

/// How a sequence continues after its first byte: the number of bytes that follow, and the range of the first
/// of them (the Unicode Standard, table 3-7). No bytes follow an ill-formed first byte.
struct Lead {
  int n_following = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
};

Lead lead_of(unsigned first) {
  if (first >= 0xC2 && first <= 0xDF) return {1};
  if (first == 0xE0) return {2, 0xA0};
  if (first == 0xED) return {2, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {2};
  if (first == 0xF0) return {3, 0x90};
  if (first >= 0xF1 && first <= 0xF3) return {3};
  if (first == 0xF4) return {3, 0x80, 0x8F};
  return {};
}

/// Decodes the code point at `position` and advances `position`. In an ill-formed sequence, U+FFFD replaces
/// the longest part that could begin a character, as recommended by the standard (section 3.9).
char32_t decode_next(std::string_view text, std::size_t& position) {
  const unsigned first = byte_at(text, position++);
  if (first < 0x80) return first;
  Lead lead = lead_of(first);
  if (lead.n_following == 0) return replacement;
  char32_t code_point = first & (0x3FU >> static_cast<unsigned>(lead.n_following));
  for (int i = 0; i < lead.n_following; ++i) {
    if (position == text.size()) return replacement;
    const unsigned byte = byte_at(text, position);
    if (byte < lead.low || byte > lead.high) return replacement;
    code_point = code_point << 6U | (byte & 0x3FU);
    lead.low = 0x80;
    lead.high = 0xBF;
    ++position;
  }
  return code_point;
}

}  // namespace

std::string to_utf8(char32_t code_point) {
  if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
  const bool is_valid = utf8proc_codepoint_valid(static_cast<utf8proc_int32_t>(code_point));
  utf8proc_uint8_t bytes[4] = {};
  const auto n =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(is_valid ? code_point : replacement), bytes);
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(n)};
}

std::size_t first_character_length(std::string_view text) {
  std::size_t position = 0;
  decode_next(text, position);
  return position;
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> result;
  result.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) result.push_back(decode_next(text, position));
  return result;
}

std::vector<LocatedCodePoint> located_code_points(std::string_view text) {
  std::vector<LocatedCodePoint> result;
  result.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) {
    LocatedCodePoint point;
    point.begin = position;
    point.value = decode_next(text, position);
    point.end = position;
    result.push_back(point);
  }
  return result;
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t start = position;
    while (position < text.size() && byte_at(text, position) < 0x80) ++position;
    if (position == start && decode_next(text, position) == replacement)
      result += to_utf8(replacement);
    else
      result += text.substr(start, position - start);
  }
  return result;
}

std::string truncated(std::string_view text, std::size_t max_code_points) {
  std::size_t n_code_points = 0;
  std::size_t cut = 0;  // the end of the part that stays if "…" takes the last place
  for (std::size_t position = 0; position < text.size(); ++n_code_points) {
    if (n_code_points + 1 == max_code_points) cut = position;
    if (n_code_points == max_code_points) {
      return max_code_points == 0 ? std::string() : std::string(text.substr(0, cut)) + "…";
    }
    decode_next(text, position);
  }
  return std::string(text);
}

}  // namespace headscope
