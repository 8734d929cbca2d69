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

/// Reads a command from its beginning.
class CommandReader {
 public:
  explicit CommandReader(std::string_view rest) : rest_(rest) {}

  std::vector<std::string> words() {
    std::vector<std::string> words;
    for (skip_spaces(); !rest_.empty(); skip_spaces()) {
      std::string& word = words.emplace_back();
      while (!rest_.empty() && spaces.find(rest_.front()) == std::string_view::npos) consume_part(word);
    }
    return words;
  }

 private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(spaces), rest_.size())); }

  [[noreturn]] static void refuse_unclosed() { refuse(failure("the command has an unclosed quote")); }

  /// Consumes the next character. Without one, the command ends within a quote.
  char next() {
    if (rest_.empty()) refuse_unclosed();
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  /// Consumes these characters if they come next.
  bool take(std::string_view characters) {
    if (!rest_.starts_with(characters)) return false;
    rest_.remove_prefix(characters.size());
    return true;
  }

  /// Consumes one character outside quotes, or an entire quoted part.
  void consume_part(std::string& word) {
    if (take(printed_open)) return consume_printf(word);
    if (take("$'")) return consume_ansi_c(word);
    const char c = next();
    if (c == '"') return consume_double_quoted(word);
    if (c == '\'') {
      for (char quoted = next(); quoted != '\''; quoted = next()) word += quoted;
    } else {
      word += c == '\\' && !rest_.empty() ? next() : c;
    }
  }

  /// Consumes the rest of "…" after its opening, as people write it.
  void consume_double_quoted(std::string& word) {
    constexpr std::string_view escapable = "\"\\$`";
    for (char c = next(); c != '"'; c = next()) {
      const bool is_escape =
          c == '\\' && !rest_.empty() && escapable.find(rest_.front()) != std::string_view::npos;
      word += is_escape ? next() : c;
    }
  }

  /// Consumes the rest of "$(printf '…')" after its opening.
  void consume_printf(std::string& word) {
    while (!take(printed_close)) {
      const char c = next();
      if (c == '\'') refuse_unclosed();
      const bool is_escape = (c == '\\' || c == '%') && !rest_.empty();
      if (!is_escape) {
        word += c;
      } else if (c == '\\' && is_octal(rest_.front())) {
        word += consume_byte(3, 8);
      } else {
        word += next();
      }
    }
  }

  /// Consumes the rest of $'…' after its opening.
  void consume_ansi_c(std::string& word) {
    for (char c = next(); c != '\''; c = next()) {
      const bool is_escape = c == '\\';
      if (is_escape) c = next();
      word += is_escape && c == 'x' ? consume_byte(2, 16) : c;
    }
  }

  static bool is_octal(char c) { return c >= '0' && c <= '7'; }

  /// Consumes the digits of \xHH or \OOO.
  char consume_byte(std::size_t most, int base) {
    unsigned char byte = 0;
    const std::string_view digits = rest_.substr(0, most);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, base);
    rest_.remove_prefix(static_cast<std::size_t>(end - digits.data()));
    return static_cast<char>(byte);
  }

  std::string_view rest_;
};

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
  return result_of([&] { return CommandReader(command).words(); });
}

}  // namespace headscope
