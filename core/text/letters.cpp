#include "core/text/letters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr char32_t first_beyond_ascii = 0x80;
constexpr std::u32string_view invisible_spaces = U"\u200B\uFEFF";
constexpr std::u32string_view punctuation = U".,!?;:()\"“”„«»—…¿¡";

bool has_category(char32_t code_point, std::initializer_list<utf8proc_category_t> categories) {
  const auto own = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return std::ranges::find(categories, own) != categories.end();
}

}  // namespace

bool is_in(std::span<const CodePointRange> ranges, char32_t code_point) {
  return std::ranges::any_of(ranges, [code_point](const CodePointRange& range) {
    return code_point >= range.first && code_point <= range.second;
  });
}

// Fast path: Unicode tables would dominate the time of edits of long ASCII texts.

bool is_separator(char32_t code_point) {
  if (code_point < first_beyond_ascii) return code_point <= U' ' || code_point == U'\x7F';
  return has_category(code_point, {UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP,
                                   UTF8PROC_CATEGORY_CC}) ||
         invisible_spaces.find(code_point) != std::u32string_view::npos;
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
  return has_category(code_point, {UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME, UTF8PROC_CATEGORY_CF}) ||
         utf8proc_charwidth(static_cast<utf8proc_int32_t>(code_point)) == 0;
}

bool is_visible(char32_t code_point) {
  return !has_category(code_point, {UTF8PROC_CATEGORY_CN, UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZL,
                                    UTF8PROC_CATEGORY_ZP, UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CF,
                                    UTF8PROC_CATEGORY_CS, UTF8PROC_CATEGORY_CO}) &&
         utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->ignorable == 0;
}

namespace {

using Range = CodePointRange;

/// Unicode blocks of simple scripts, except for their combining marks.
constexpr std::array simple{Range{0x00, 0x2FF},    Range{0x370, 0x482},   Range{0x48A, 0x52F},
                            Range{0x1D00, 0x1DBF}, Range{0x1E00, 0x200A}, Range{0x2010, 0x2027},
                            Range{0x202F, 0x205F}, Range{0x2070, 0x20CF}, Range{0x2100, 0x2BFF},
                            Range{0x2C60, 0x2C7F}, Range{0xA720, 0xA7FF}, Range{0xFFFD, 0xFFFD}};

constexpr std::array without_spaces{
    Range{0xE01, 0xFFF},   Range{0x1000, 0x109F}, Range{0x1780, 0x17FF},   Range{0x1950, 0x19FF},
    Range{0x1A20, 0x1AAF}, Range{0x2E80, 0x2FDF}, Range{0x3003, 0x3007},   Range{0x3021, 0x30FF},
    Range{0x31F0, 0x31FF}, Range{0x3400, 0x9FFF}, Range{0xA9E0, 0xA9FF},   Range{0xAA60, 0xAA7F},
    Range{0xF900, 0xFAFF}, Range{0xFF66, 0xFF9F}, Range{0x1B000, 0x1B16F}, Range{0x20000, 0x3FFFF}};

/// Emoji_Presentation below U+10000.
constexpr std::array emoji{
    Range{0x231A, 0x231B}, Range{0x23E9, 0x23EC}, Range{0x23F0, 0x23F0}, Range{0x23F3, 0x23F3},
    Range{0x25FD, 0x25FE}, Range{0x2614, 0x2615}, Range{0x2648, 0x2653}, Range{0x267F, 0x267F},
    Range{0x2693, 0x2693}, Range{0x26A1, 0x26A1}, Range{0x26AA, 0x26AB}, Range{0x26BD, 0x26BE},
    Range{0x26C4, 0x26C5}, Range{0x26CE, 0x26CE}, Range{0x26D4, 0x26D4}, Range{0x26EA, 0x26EA},
    Range{0x26F2, 0x26F3}, Range{0x26F5, 0x26F5}, Range{0x26FA, 0x26FA}, Range{0x26FD, 0x26FD},
    Range{0x2705, 0x2705}, Range{0x270A, 0x270B}, Range{0x2728, 0x2728}, Range{0x274C, 0x274C},
    Range{0x274E, 0x274E}, Range{0x2753, 0x2755}, Range{0x2757, 0x2757}, Range{0x2795, 0x2797},
    Range{0x27B0, 0x27B0}, Range{0x27BF, 0x27BF}, Range{0x2B1B, 0x2B1C}, Range{0x2B50, 0x2B50},
    Range{0x2B55, 0x2B55}};

constexpr char32_t opening_quote = U'“', closing_quote = U'”';
constexpr char32_t first_isolate = 0x2066, last_isolate = 0x2068, end_of_isolate = 0x2069;

const utf8proc_property_t& property(char32_t letter) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(letter));
}

/// Calls `is_last(letter)` for the letters of a text until it returns true. Returns whether it did. Unlike
/// code_points(), does not allocate, because it runs for every text that is measured.
template <class IsLast>
bool any_letter(std::string_view text, const IsLast& is_last) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t letter = bytes[at];
    utf8proc_ssize_t n_bytes = 1;
    if (letter >= 0x80)
      n_bytes = utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &letter);
    if (is_last(n_bytes > 0 ? static_cast<char32_t>(letter) : U'\uFFFD')) return true;
    at += static_cast<std::size_t>(std::max<utf8proc_ssize_t>(n_bytes, 1));
  }
  return false;
}

}  // namespace

bool needs_shaping(std::string_view text) {
  return any_letter(text, [](char32_t c) {
    constexpr char32_t first_mark = 0x300;
    return c >= first_mark && (!is_in(simple, c) || is_emoji(c));
  });
}

bool is_right_to_left(char32_t letter) {
  const auto direction = property(letter).bidi_class;
  return direction == UTF8PROC_BIDI_CLASS_R || direction == UTF8PROC_BIDI_CLASS_AL;
}

bool is_right_to_left(std::string_view text) {
  bool begins_right = false;
  int depth = 0;
  any_letter(text, [&](char32_t letter) {
    if (letter == opening_quote || (letter >= first_isolate && letter <= last_isolate)) ++depth;
    if (letter == closing_quote || letter == end_of_isolate) depth = std::max(depth - 1, 0);
    begins_right = depth == 0 && is_right_to_left(letter);
    return depth == 0 && (begins_right || property(letter).bidi_class == UTF8PROC_BIDI_CLASS_L);
  });
  return begins_right;
}

std::string with_isolated_quotes(std::string_view text) {
  std::string isolated(text);
  if (!any_letter(text, [](char32_t letter) { return is_right_to_left(letter); })) return isolated;
  const auto mark = [&](char32_t quote, const std::string& marked) {
    const std::string plain = to_utf8(quote);
    for (std::size_t at = isolated.find(plain); at != std::string::npos;
         at = isolated.find(plain, at + marked.size()))
      isolated.replace(at, plain.size(), marked);
  };
  mark(opening_quote, to_utf8(opening_quote) + to_utf8(last_isolate));
  mark(closing_quote, to_utf8(end_of_isolate) + to_utf8(closing_quote));
  return isolated;
}

bool writes_without_spaces(char32_t letter) {
  return is_in(without_spaces, letter);
}

bool is_emoji(char32_t letter) {
  if (letter <= 0xFFFF) return is_in(emoji, letter);
  const bool is_flag_or_tone =
      (letter >= 0x1F1E6 && letter <= 0x1F1FF) || (letter >= 0x1F3FB && letter <= 0x1F3FF);
  return is_flag_or_tone || property(letter).boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

}  // namespace headscope
