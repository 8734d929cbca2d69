#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A character of valid UTF-8, and the number of bytes that it takes.
struct Character {
  char32_t value = 0;
  std::size_t length = 1;
};

/// The character that begins at byte `at` < text.size(). Of a text that is not valid UTF-8, the value is of
/// no use, but the bytes are within the text.
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

/// The character that ends before byte `end` > 0 of valid UTF-8.
Character character_before(std::string_view text, std::size_t end);

std::size_t character_count(std::string_view valid_utf8);

/// Whether no byte is above 0x7F.
bool is_ascii(std::string_view text);

/// Whether the character has Unicode's property White_Space.
bool is_white_space(char32_t c);
/// Whether the character is a letter, a mark, a digit or connecting punctuation, which is what \w means in
/// Rust's regular expressions.
bool is_of_word(char32_t c);
/// Whether the character is any number: Nd, Nl, No.
bool is_numeric(char32_t c);
/// Whether the character is punctuation in Unicode, or is in ASCII and not a letter, digit, space or control
/// character.
bool is_bert_punctuation(char32_t c);
/// Whether the character is any mark: Mn, Mc, Me.
bool is_mark(char32_t c);
/// Whether the character is a mark that takes no space: Mn.
bool is_nonspacing_mark(char32_t c);
/// Whether the character is a control, format or private-use character: Cc, Cf, Co.
bool is_other(char32_t c);
/// Whether the character is one of the ideographs that BERT treats as words.
bool is_bert_ideograph(char32_t c);
/// Adds the lower-case form, which consists of two characters for İ.
void append_lower_case(char32_t c, std::u32string& to);

/// The letter that stands for a byte in the vocabularies of byte-level tokenizers (GPT-2): the byte itself if
/// it is printable in Latin-1, otherwise a letter from U+0100 on.
char32_t letter_of_byte(unsigned char byte);
/// The byte that a letter stands for. Empty for other characters.
std::optional<unsigned char> byte_of_letter(char32_t letter);
/// The letters of the bytes.
std::string letters_of_bytes(std::string_view bytes);
/// The bytes of a text of such letters. Empty if the text has any other character.
std::optional<std::string> bytes_of_letters(std::string_view valid_utf8);

/// The piece "<0x0A>" of a byte.
std::string byte_piece(unsigned char byte);
/// The byte of such a piece, whose digits may be in either case. Empty for other pieces.
std::optional<unsigned char> byte_of_piece(std::string_view piece);

/// A text as it is shown to people in a cell: ⏎ for a new line, ⇥ for a tab, Unicode's pictures of other
/// control characters, and ‹E2› for bytes that do not form a character.
std::string readable(std::string_view bytes);

}  // namespace headscope
