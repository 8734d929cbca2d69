#include "core/text/letters.h"

#include <utf8proc.h>

#include <string_view>

#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr char32_t first_beyond_ascii = 0x80;
constexpr std::u32string_view invisible_spaces = U"\u200B\uFEFF";
constexpr std::u32string_view punctuation = U".,!?;:()\"“”„«»—…¿¡";

utf8proc_category_t category(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

}  // namespace

// Fast path: Unicode tables would dominate the time of edits of long ASCII texts.

bool is_separator(char32_t code_point) {
  if (code_point < first_beyond_ascii) return code_point <= U' ' || code_point == U'\x7F';
  switch (category(code_point)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
      return true;
    default:
      return invisible_spaces.find(code_point) != std::u32string_view::npos;
  }
}

bool is_punctuation(char32_t code_point) {
  return punctuation.find(code_point) != std::u32string_view::npos;
}

char32_t lower_case(char32_t code_point) {
  if (code_point < first_beyond_ascii) {
    const bool is_capital = code_point >= U'A' && code_point <= U'Z';
    return is_capital ? code_point + (U'a' - U'A') : code_point;
  }
  const auto c = static_cast<utf8proc_int32_t>(code_point);
  utf8proc_int32_t folded[4] = {};
  int boundary_class = 0;
  const auto n = utf8proc_decompose_char(c, folded, 4, UTF8PROC_CASEFOLD, &boundary_class);
  return static_cast<char32_t>(n == 1 ? folded[0] : utf8proc_tolower(c));
}

std::string to_lower_case(std::string_view text) {
  std::string lower;
  for (const char32_t each : code_points(text)) lower += to_utf8(lower_case(each));
  return lower;
}

bool is_noncharacter(char32_t code_point) {
  return (code_point & 0xFFFEU) == 0xFFFE || (code_point >= 0xFDD0 && code_point <= 0xFDEF);
}

bool is_zero_width(char32_t code_point) {
  switch (category(code_point)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
      return true;
    default:
      return utf8proc_charwidth(static_cast<utf8proc_int32_t>(code_point)) == 0;
  }
}

bool is_visible(char32_t code_point) {
  switch (category(code_point)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
      return false;
    default:
      return utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->ignorable == 0;
  }
}

}  // namespace headscope
