#include "app/cli/shell_words.h"

#include <algorithm>
#include <charconv>

#include "core/text/utf8.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

constexpr std::string_view spaces = " \t\n";
constexpr std::string_view printed_open = "\"$(printf '";
constexpr std::string_view printed_close = "')\"";

// Each of these consumes the beginning of `rest`, the command that has not been read yet.

[[noreturn]] void refuse_unclosed() {
  refuse(failure("the command has an unclosed quote"));
}

/// Consumes the next character. Without one, the command ends within a quote.
char next(std::string_view& rest) {
  if (rest.empty()) refuse_unclosed();
  const char c = rest.front();
  rest.remove_prefix(1);
  return c;
}

/// Consumes these characters if they come next.
bool take(std::string_view& rest, std::string_view characters) {
  if (!rest.starts_with(characters)) return false;
  rest.remove_prefix(characters.size());
  return true;
}

/// Consumes the rest of "…" after its opening, as people write it.
void consume_double_quoted(std::string_view& rest, std::string& word) {
  constexpr std::string_view escapable = "\"\\$`";
  for (char c = next(rest); c != '"'; c = next(rest)) {
    const bool is_escape =
        c == '\\' && !rest.empty() && escapable.find(rest.front()) != std::string_view::npos;
    word += is_escape ? next(rest) : c;
  }
}

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

/// Consumes the digits of \xHH or \OOO.
char consume_byte(std::string_view& rest, std::size_t most, int base) {
  unsigned char byte = 0;
  const std::string_view digits = rest.substr(0, most);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, base);
  rest.remove_prefix(static_cast<std::size_t>(end - digits.data()));
  return static_cast<char>(byte);
}

/// Consumes the rest of "$(printf '…')" after its opening.
void consume_printf(std::string_view& rest, std::string& word) {
  while (!take(rest, printed_close)) {
    const char c = next(rest);
    if (c == '\'') refuse_unclosed();
    const bool is_escape = (c == '\\' || c == '%') && !rest.empty();
    if (!is_escape) {
      word += c;
    } else if (c == '\\' && is_octal(rest.front())) {
      word += consume_byte(rest, 3, 8);
    } else {
      word += next(rest);
    }
  }
}

/// Consumes the rest of $'…' after its opening.
void consume_ansi_c(std::string_view& rest, std::string& word) {
  for (char c = next(rest); c != '\''; c = next(rest)) {
    const bool is_escape = c == '\\';
    if (is_escape) c = next(rest);
    word += is_escape && c == 'x' ? consume_byte(rest, 2, 16) : c;
  }
}

/// Consumes one character outside quotes, or an entire quoted part.
void consume_part(std::string_view& rest, std::string& word) {
  if (take(rest, printed_open)) return consume_printf(rest, word);
  if (take(rest, "$'")) return consume_ansi_c(rest, word);
  const char c = next(rest);
  if (c == '"') return consume_double_quoted(rest, word);
  if (c == '\'') {
    for (char quoted = next(rest); quoted != '\''; quoted = next(rest)) word += quoted;
  } else {
    word += c == '\\' && !rest.empty() ? next(rest) : c;
  }
}

void skip_spaces(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(spaces), rest.size()));
}

/// Quotes a word as "$'a\x1b'", which bash, zsh and ksh understand, but dash does not.
std::string ansi_c_quoted(std::string_view word) {
  constexpr std::string_view zero("\0", 1);
  std::string quoted = "$'";
  while (!word.empty()) {
    const std::string_view character = word.substr(0, first_character_length(word));
    if (character == zero) {
      quoted += visible_controls(zero);
    } else if (character == "\n") {
      quoted += "\\x0a";
    } else if (character == "!") {
      quoted += "\\x21";  // an interactive shell may replace it by an earlier command
    } else {
      if (character == "\\" || character == "'") quoted += '\\';
      quoted += escaped_controls(character);
    }
    word.remove_prefix(character.size());
  }
  return quoted + "'";
}

/// Whether bash, zsh and dash all read a word literally. zsh expands a word =ls to the path of ls, and with
/// magic_equal_subst also after an equals sign or a colon inside a word.
bool is_plain(std::string_view word) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  const auto has = [word](std::string_view part) { return word.find(part) != std::string_view::npos; };
  return !word.empty() && word.find_first_not_of(letters) == std::string_view::npos && word.front() != '=' &&
         !has("==") && !has(":=");
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  if (word.find('\n') != std::string::npos || escaped_controls(word) != word) return ansi_c_quoted(word);
  if (is_plain(word)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Result<std::vector<std::string>> shell_words(std::string_view command) {
  return result_of([rest = command]() mutable {
    std::vector<std::string> words;
    for (skip_spaces(rest); !rest.empty(); skip_spaces(rest)) {
      std::string& word = words.emplace_back();
      while (!rest.empty() && spaces.find(rest.front()) == std::string_view::npos) consume_part(rest, word);
    }
    return words;
  });
}

}  // namespace headscope
