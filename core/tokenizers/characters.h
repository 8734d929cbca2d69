#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A character and its length in bytes.
struct Character {
  char32_t value = 0;
  std::size_t length = 1;
};

/// The character at byte `at` < text.size(). For invalid UTF-8, the value is unspecified, but the length is
/// within the text.
inline Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> char32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0x80U;
  };
  const char32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  const char32_t second = byte(at + 1) & 0x3FU;
  const std::size_t rest = text.size() - at;
  if (first < 0xE0) return {(first & 0x1FU) << 6U | second, std::min<std::size_t>(2, rest)};
  const char32_t third = byte(at + 2) & 0x3FU;
  if (first < 0xF0) return {(first & 0xFU) << 12U | second << 6U | third, std::min<std::size_t>(3, rest)};
  return {(first & 7U) << 18U | second << 12U | third << 6U | (byte(at + 3) & 0x3FU),
          std::min<std::size_t>(4, rest)};
}

/// The character that ends at byte `end` > 0. Requires valid UTF-8.
Character character_before(std::string_view text, std::size_t end);

/// The end of the white space that begins at byte `begin`.
std::size_t spaces_after(std::string_view valid_utf8, std::size_t begin);
/// The beginning of the white space that ends at byte `end`.
std::size_t spaces_before(std::string_view valid_utf8, std::size_t end);

std::size_t character_count(std::string_view valid_utf8);

/// Whether no byte is above 0x7F.
bool is_ascii(std::string_view text);

/// Whether the character has Unicode's property White_Space.
bool is_white_space(char32_t c);
/// Whether the character matches \w of Rust's regular expressions: letter, mark, digit or connector
/// punctuation.
bool is_word_character(char32_t c);
/// Whether the character is any number: Nd, Nl, No.
bool is_numeric(char32_t c);
/// Whether the character is Unicode punctuation, or an ASCII symbol.
bool is_bert_punctuation(char32_t c);
/// Whether the character is any mark: Mn, Mc, Me.
bool is_mark(char32_t c);
/// Whether the character is a mark that takes no space: Mn.
bool is_nonspacing_mark(char32_t c);
/// Whether the character is a control, format or private-use character: Cc, Cf, Co.
bool is_other(char32_t c);
/// Whether the character is a CJK ideograph, which BERT treats as a word.
bool is_bert_ideograph(char32_t c);

/// The letter of a byte in byte-level vocabularies (GPT-2): the byte itself if printable in Latin-1,
/// otherwise from U+0100 on.
char32_t letter_of_byte(unsigned char byte);
/// The letters of a byte string.
std::string letters_of_bytes(std::string_view bytes);
/// The inverse. Empty if the text contains other characters.
std::optional<std::string> bytes_of_letters(std::string_view valid_utf8);

/// The piece of a byte: "<0x0A>".
std::string byte_piece(unsigned char byte);
/// The inverse, with digits in either case. Empty for other pieces.
std::optional<unsigned char> byte_of_piece(std::string_view piece);

/// A text for display: ⏎ for a newline, ⇥ for a tab, control pictures for other control characters, and ‹E2›
/// for invalid bytes.
std::string display_text(std::string_view bytes);

}  // namespace headscope
