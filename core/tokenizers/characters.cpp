#include "core/tokenizers/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "core/text/letters.h"
#include "core/text/utf8.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

utf8proc_category_t category_of(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool has_category(char32_t c, std::initializer_list<utf8proc_category_t> categories) {
  return std::ranges::find(categories, category_of(c)) != categories.end();
}

bool is_printable_latin1(unsigned byte) {
  return (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
}

struct ByteLetters {
  std::array<char32_t, 256> letters{};
  std::array<std::int16_t, 512> bytes{};

  ByteLetters() {
    bytes.fill(-1);
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < letters.size(); ++byte) {
      letters[byte] = is_printable_latin1(byte) ? byte : next++;
      bytes[letters[byte]] = static_cast<std::int16_t>(byte);
    }
  }
};

const ByteLetters& byte_letters() {
  static const ByteLetters made;
  return made;
}

void append_hex(unsigned char byte, std::string& to) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  to += digits[byte >> 4U];
  to += digits[byte & 0xFU];
}

}  // namespace

Character character_before(std::string_view text, std::size_t end) {
  std::size_t begin = end - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
  return character_at(text, begin);
}

std::size_t spaces_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0) {
    const Character c = character_before(text, begin);
    if (!is_white_space(c.value)) break;
    begin -= c.length;
  }
  return begin;
}

std::size_t spaces_after(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size()) {
    const Character c = character_at(text, end);
    if (!is_white_space(c.value)) break;
    end += c.length;
  }
  return end;
}

std::size_t character_count(std::string_view valid_utf8) {
  return static_cast<std::size_t>(std::count_if(valid_utf8.begin(), valid_utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_word_character(char32_t c) {
  // The joiners, and letters that Unicode classifies as symbols.
  constexpr std::array<CodePointRange, 5> others{
      {{0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}, {0x200C, 0x200D}}};
  return has_category(c,
                      {UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LM,
                       UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME,
                       UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_PC}) ||
         is_in(others, c);
}

bool is_numeric(char32_t c) {
  return has_category(c, {UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO});
}

bool is_bert_punctuation(char32_t c) {
  if (c < 0x80) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
  }
  const auto category = category_of(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool is_mark(char32_t c) {
  return has_category(c, {UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME});
}

bool is_nonspacing_mark(char32_t c) {
  return category_of(c) == UTF8PROC_CATEGORY_MN;
}

bool is_other(char32_t c) {
  return has_category(c, {UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CF, UTF8PROC_CATEGORY_CO});
}

bool is_bert_ideograph(char32_t c) {
  // The sixth range begins at U+2B920 in Hugging Face's tokenizers, and at U+2B820 in Google's BERT.
  constexpr std::array<CodePointRange, 8> ideographs{{{0x4E00, 0x9FFF},
                                                      {0x3400, 0x4DBF},
                                                      {0x20000, 0x2A6DF},
                                                      {0x2A700, 0x2B73F},
                                                      {0x2B740, 0x2B81F},
                                                      {0x2B920, 0x2CEAF},
                                                      {0xF900, 0xFAFF},
                                                      {0x2F800, 0x2FA1F}}};
  return c >= 0x3400 && is_in(ideographs, c);
}

char32_t letter_of_byte(unsigned char byte) {
  return byte_letters().letters[byte];
}

std::string letters_of_bytes(std::string_view bytes) {
  std::string letters;
  letters.reserve(2 * bytes.size());
  for (const char c : bytes) letters += to_utf8(letter_of_byte(static_cast<unsigned char>(c)));
  return letters;
}

std::optional<std::string> bytes_of_letters(std::string_view valid_utf8) {
  std::string bytes;
  bytes.reserve(valid_utf8.size());
  for (std::size_t at = 0; at < valid_utf8.size();) {
    const Character letter = character_at(valid_utf8, at);
    const auto& known = byte_letters().bytes;
    if (letter.value >= known.size() || known[letter.value] < 0) return std::nullopt;
    bytes += static_cast<char>(known[letter.value]);
    at += letter.length;
  }
  return bytes;
}

std::string byte_piece(unsigned char byte) {
  std::string piece = "<0x";
  append_hex(byte, piece);
  return piece += '>';
}

std::optional<unsigned char> byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
  unsigned char byte = 0;
  const auto [end, error] = std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16);
  return error == std::errc() && end == piece.data() + 5 ? std::optional(byte) : std::nullopt;
}

std::string display_text(std::string_view bytes) {
  std::string result;
  while (!bytes.empty()) {
    const std::string_view first = bytes.substr(0, first_character_length(bytes));
    bytes.remove_prefix(first.size());
    const char32_t c = code_points(first).front();
    if (c == 0xFFFD && first != to_utf8(c)) {
      for (const char byte : first) {
        result += "‹";
        append_hex(static_cast<unsigned char>(byte), result);
        result += "›";
      }
    } else if (c == '\n') {
      result += "⏎";
    } else if (c == '\t') {
      result += "⇥";
    } else if (c == '\r') {
      result += "␍";
    } else {
      result += visible_controls(first);
    }
  }
  return result;
}

}  // namespace headscope
