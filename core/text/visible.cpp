#include "core/text/visible.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr char32_t delete_character = 0x7F;
constexpr char32_t replacement_character = 0xFFFD;

bool is_c0(char32_t c) {
  return c < 0x20;
}

bool is_control(char32_t c) {
  return is_c0(c) || (c >= delete_character && c < 0xA0);
}

/// Whether a character is a bidi control, which would reorder terminal output.
bool is_bidi_control(char32_t c) {
  return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

void append_escaped(std::string& result, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    result.append("\\x") += digits[byte >> 4U];
    result += digits[byte & 0xFU];
  }
}

char32_t picture_of(char32_t c) {
  constexpr char32_t pictures = 0x2400;
  constexpr char32_t picture_of_delete = 0x2421;
  if (c == '\t' || c == '\n' || c == '\r') return c;
  if (is_c0(c)) return pictures + c;
  if (c == delete_character) return picture_of_delete;
  return is_control(c) || is_noncharacter(c) ? replacement_character : c;
}

}  // namespace

std::string escaped_controls(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t n_bytes = first_character_length(text);
    const std::string_view bytes = text.substr(0, n_bytes);
    const char32_t c = code_points(bytes).front();
    const bool is_ill_formed = c == replacement_character && bytes != to_utf8(replacement_character);
    if (is_ill_formed || is_noncharacter(c) || is_bidi_control(c) ||
        (is_control(c) && c != '\n' && c != '\t')) {
      append_escaped(result, bytes);
    } else {
      result += bytes;
    }
    text.remove_prefix(n_bytes);
  }
  return result;
}

std::string escaped_message(std::string_view text) {
  const std::string escaped = escaped_controls(text);
  std::string result;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const bool is_ours = escaped[i] != '\n' || escaped.compare(i + 1, 2, "  ") == 0;
    if (!is_ours || escaped[i] == '\t') {
      append_escaped(result, std::string_view(escaped).substr(i, 1));
    } else {
      result += escaped[i];
    }
  }
  return result;
}

std::string visible_controls(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char32_t c : code_points(text)) result += to_utf8(picture_of(c));
  return result;
}

namespace {

/// Whether a letter is invisible, apart from control characters, which have pictures.
bool is_unseen(char32_t c) {
  return is_separator(c) || (is_zero_width(c) && !is_visible(c));
}

std::string mark_of(char32_t c, bool is_alone) {
  constexpr std::u32string_view no_breaks = U"\u00A0\u2007\u202F";
  constexpr std::u32string_view always_escaped = U"\u00AD\u200B\u2060\uFEFF";
  if (no_breaks.find(c) != std::u32string_view::npos) return "⍽";
  if (c == U' ') return is_alone ? "␣" : " ";
  const bool is_named = always_escaped.find(c) != std::u32string_view::npos || (is_alone && is_unseen(c));
  if (!is_named || is_control(c)) return to_utf8(c);
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::size_t min_digits = 4;
  std::string number;
  for (char32_t rest = c; rest != 0 || number.size() < min_digits; rest >>= 4U)
    number.insert(number.begin(), digits[rest & 0xFU]);
  return "‹" + number + "›";
}

}  // namespace

std::string with_visible_spaces(std::string_view token) {
  const std::vector<char32_t> letters = code_points(token);
  const bool is_alone = std::all_of(letters.begin(), letters.end(), is_unseen);
  std::string marked;
  for (const char32_t letter : letters) marked += mark_of(letter, is_alone);
  return marked;
}

std::string file_stem(const std::string& title) {
  constexpr int max_characters = 60;
  constexpr unsigned char beyond_ascii = 0x80;
  std::string stem;
  bool is_apart = false;
  int n = 0;
  for (const char each : title) {
    const auto byte = static_cast<unsigned char>(each);
    constexpr unsigned char first_of_character = 0xC0;
    if (byte >= beyond_ascii && byte < first_of_character) {  // a continuation byte of the previous character
      if (n > 0 && !is_apart) stem += each;
      continue;
    }
    if (byte < beyond_ascii && std::isalnum(byte) == 0) {
      is_apart = !stem.empty();
      continue;
    }
    if (++n > max_characters) break;
    if (std::exchange(is_apart, false)) stem += "-";
    stem += byte < beyond_ascii ? static_cast<char>(std::tolower(byte)) : each;
  }
  return stem;
}

}  // namespace headscope
