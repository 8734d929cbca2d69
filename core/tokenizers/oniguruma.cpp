#include "core/tokenizers/oniguruma.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/budget.h"
#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/pcre2_of_bytes.h"

namespace headscope {
namespace {

constexpr std::string_view non_space_items =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";
constexpr std::string_view word_items = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
// Visible characters, and the same with spaces: everything except for control characters and unassigned ones.
constexpr std::string_view graph_items = R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co})";
constexpr std::string_view print_items = R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}\p{Zs})";
constexpr std::string_view hexadecimal_items = "0-9a-fA-F";
constexpr std::string_view any_character = "(?s:.)";

/// A character set under construction: what can stand between brackets, and what needs a pattern.
struct CharacterSet {
  std::string items;
  std::vector<std::string> patterns;  ///< Each matches one character.
  bool is_negated = false;

  bool is_plain() const { return patterns.empty() && !is_negated; }

  std::string pattern() const {
    if (patterns.empty()) {
      if (items.empty()) return is_negated ? std::string(any_character) : "(?!)";
      return (is_negated ? "[^" : "[") + items + "]";
    }
    std::string joined = items.empty() ? "" : "[" + items + "]";
    for (const std::string& each : patterns) joined += (joined.empty() ? "" : "|") + each;
    if (is_negated) return "(?:(?!" + joined + ")" + std::string(any_character) + ")";
    return "(?:" + joined + ")";
  }
  void add(const CharacterSet& other) {
    if (other.is_plain()) {
      items += other.items;
    } else {
      patterns.push_back(other.pattern());
    }
  }
};

std::string code_point_item(char32_t c) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::uint32_t{c}, 16).ptr;
  return R"(\x{)" + std::string(digits.data(), end) + "}";
}

bool is_known_to_pcre(const std::string& pattern) {
  int error = 0;
  PCRE2_SIZE place = 0;
  const std::unique_ptr<pcre2_code_8, decltype(&pcre2_code_free_8)> code(
      pcre2_compile_8(reinterpret_cast<PCRE2_SPTR8>(pattern.data()), pattern.size(), PCRE2_UTF | PCRE2_UCP,
                      &error, &place, nullptr),
      &pcre2_code_free_8);
  return code != nullptr;
}

/// A property for which PCRE2 has another name.
struct PropertyName {
  std::string_view name;  ///< In lower case, without spaces, - and _.
  std::string_view items;
};
constexpr std::array property_names{
    PropertyName{"letter", R"(\p{L})"},
    PropertyName{"uppercaseletter", R"(\p{Lu})"},
    PropertyName{"lowercaseletter", R"(\p{Ll})"},
    PropertyName{"titlecaseletter", R"(\p{Lt})"},
    PropertyName{"modifierletter", R"(\p{Lm})"},
    PropertyName{"otherletter", R"(\p{Lo})"},
    PropertyName{"mark", R"(\p{M})"},
    PropertyName{"nonspacingmark", R"(\p{Mn})"},
    PropertyName{"spacingmark", R"(\p{Mc})"},
    PropertyName{"enclosingmark", R"(\p{Me})"},
    PropertyName{"number", R"(\p{N})"},
    PropertyName{"decimalnumber", R"(\p{Nd})"},
    PropertyName{"letternumber", R"(\p{Nl})"},
    PropertyName{"othernumber", R"(\p{No})"},
    PropertyName{"punctuation", R"(\p{P})"},
    PropertyName{"connectorpunctuation", R"(\p{Pc})"},
    PropertyName{"dashpunctuation", R"(\p{Pd})"},
    PropertyName{"openpunctuation", R"(\p{Ps})"},
    PropertyName{"closepunctuation", R"(\p{Pe})"},
    PropertyName{"initialpunctuation", R"(\p{Pi})"},
    PropertyName{"finalpunctuation", R"(\p{Pf})"},
    PropertyName{"otherpunctuation", R"(\p{Po})"},
    PropertyName{"symbol", R"(\p{S})"},
    PropertyName{"mathsymbol", R"(\p{Sm})"},
    PropertyName{"currencysymbol", R"(\p{Sc})"},
    PropertyName{"modifiersymbol", R"(\p{Sk})"},
    PropertyName{"othersymbol", R"(\p{So})"},
    PropertyName{"separator", R"(\p{Z})"},
    PropertyName{"spaceseparator", R"(\p{Zs})"},
    PropertyName{"lineseparator", R"(\p{Zl})"},
    PropertyName{"paragraphseparator", R"(\p{Zp})"},
    PropertyName{"other", R"(\p{C})"},
    PropertyName{"control", R"(\p{Cc})"},
    PropertyName{"format", R"(\p{Cf})"},
    PropertyName{"privateuse", R"(\p{Co})"},
    PropertyName{"unassigned", R"(\p{Cn})"},
    PropertyName{"any", R"(\x{0}-\x{10ffff})"},
    PropertyName{"ascii", R"(\x{0}-\x{7f})"},
    PropertyName{"alpha", R"(\p{Alphabetic})"},
    PropertyName{"alnum", R"(\p{Alphabetic}\p{Nd})"},
    PropertyName{"blank", R"(\p{Zs}\x{9})"},
    PropertyName{"cntrl", R"(\p{Cc})"},
    PropertyName{"digit", R"(\p{Nd})"},
    PropertyName{"lower", R"(\p{Lowercase})"},
    PropertyName{"upper", R"(\p{Uppercase})"},
    PropertyName{"punct", R"(\p{P})"},
    PropertyName{"space", white_space_items},
    PropertyName{"xdigit", hexadecimal_items},
    PropertyName{"word", word_items},
    PropertyName{"posixpunct", R"(\p{P}\p{S})"},
    PropertyName{"graph", graph_items},
    PropertyName{"print", print_items},
};

/// Rewrites a pattern in a single pass.
class Rewriter {
 public:
  explicit Rewriter(std::string_view pattern) : in_(pattern) {}

  Result<std::string> rewritten() {
    while (at_ < in_.size() && !error_) step();
    if (error_) return failure(*error_);
    return out_;
  }

 private:
  bool is_next(std::string_view text) const { return in_.substr(at_).starts_with(text); }
  bool take(std::string_view text) {
    if (!is_next(text)) return false;
    at_ += text.size();
    return true;
  }
  char32_t take_character() {
    const Character c = character_at(in_, at_);
    at_ += c.length;
    return c.value;
  }
  void refuse(const std::string& what) {
    if (!error_) error_ = what + " at byte " + std::to_string(at_) + " of the pattern";
    at_ = in_.size();
  }
  void emit_atom(const std::string& text) {
    atom_ = out_.size();
    out_ += text;
  }

  void step() {
    switch (in_[at_]) {
      case '[':
        return emit_atom(set().pattern());
      case '\\':
        return escape();
      case '(':
        return open_group();
      case ')':
        return close_group();
      case '{':
        return brace();
      case '*':
      case '+':
      case '?':
        return quantifier();
      case '|':
      case '^':
      case '$':
      case '.':
        return emit_atom(std::string(1, in_[at_++]));
      case ']':
      case '}':
        return emit_atom(std::string("\\") + in_[at_++]);
      default: {
        const std::size_t begin = at_;
        take_character();
        emit_atom(std::string(in_.substr(begin, at_ - begin)));
      }
    }
  }

  /// Copies * + ? with what makes them lazy or possessive.
  void quantifier() {
    out_ += in_[at_++];
    if (at_ < in_.size() && (in_[at_] == '?' || in_[at_] == '+')) out_ += in_[at_++];
  }

  std::optional<std::uint32_t> number(int base, std::size_t most_digits) {
    std::uint32_t value = 0;
    const char* const begin = in_.data() + at_;
    const char* const end = begin + std::min(most_digits, in_.size() - at_);
    const auto read = std::from_chars(begin, end, value, base);
    if (read.ec != std::errc()) return std::nullopt;
    at_ += static_cast<std::size_t>(read.ptr - begin);
    return value;
  }

  /// Copies {n}, {n,}, {,m}, {n,m}. Any other brace stands for itself.
  void brace() {
    const std::size_t begin = at_++;
    constexpr std::size_t most_digits = 6;
    const auto least = number(10, most_digits);
    const bool has_comma = take(",");
    const auto most = has_comma ? number(10, most_digits) : least;
    if ((!least && !most) || !take("}")) {
      at_ = begin + 1;
      return emit_atom("\\{");
    }
    std::string count = "{" + std::to_string(least.value_or(0));
    if (has_comma) count += "," + (most ? std::to_string(*most) : std::string());
    out_ += count + "}";
    // A plus repeats the repetition. After {n}, a question mark makes it optional.
    const bool repeats = is_next("+");
    const bool is_optional = !has_comma && is_next("?");
    if (repeats || is_optional) {
      out_.insert(atom_, "(?:");
      out_ += ")";
      out_ += in_[at_++];
    } else if (take("?")) {
      out_ += '?';
    }
  }

  void open_group() {
    groups_.push_back(out_.size());
    ++at_;
    if (is_next("*")) return refuse("'(*'");
    if (!take("?")) {
      out_ += '(';
      return;
    }
    for (const std::string_view plain : {":", "=", "!", ">", "<=", "<!"}) {
      if (take(plain)) {
        out_.append("(?") += plain;
        return;
      }
    }
    if (take("#")) return skip_comment();
    if (is_next("<") || is_next("'")) return named_group();
    options();
  }

  void skip_comment() {
    groups_.pop_back();
    const std::size_t end = in_.find(')', at_);
    at_ = end == std::string_view::npos ? in_.size() : end + 1;
  }

  void named_group() {
    const char close = in_[at_] == '<' ? '>' : '\'';
    const std::size_t end = in_.find(close, at_ + 1);
    if (end == std::string_view::npos) return refuse("an unfinished name");
    out_.append("(?<").append(in_.substr(at_ + 1, end - at_ - 1)) += '>';
    at_ = end + 1;
  }

  /// Copies (?imx-imx) and (?imx-imx:…), where m says that a dot matches new lines.
  void options() {
    std::string letters;
    while (at_ < in_.size() && in_[at_] != ':' && in_[at_] != ')') {
      const char letter = in_[at_];
      if (letter != 'i' && letter != 'm' && letter != 'x' && letter != '-') {
        return refuse("the group '(?" + std::string(in_.substr(at_, first_length(in_.substr(at_)))) + "'");
      }
      letters += letter == 'm' ? 's' : letter;
      ++at_;
    }
    out_ += "(?" + letters;
    if (take(":")) out_ += ':';
  }

  void close_group() {
    ++at_;
    out_ += ')';
    if (groups_.empty()) return refuse("a ')' without '('");
    atom_ = groups_.back();
    groups_.pop_back();
  }

  void escape() {
    const std::size_t begin = at_++;
    if (at_ == in_.size()) return refuse("a '\\' at the end");
    const std::string word = "[" + std::string(word_items) + "]";
    switch (in_[at_]) {
      case 'b':
        ++at_;
        return emit_atom("(?:(?<=" + word + ")(?!" + word + ")|(?<!" + word + ")(?=" + word + "))");
      case 'B':
        ++at_;
        return emit_atom("(?:(?<=" + word + ")(?=" + word + ")|(?<!" + word + ")(?!" + word + "))");
      case 'R':
        ++at_;
        return emit_atom(R"((?>\r\n|[\x{a}-\x{d}\x{85}\x{2028}\x{2029}]))");
      case 'N':
        ++at_;
        return emit_atom("[^\\n]");
      case 'O':
        ++at_;
        return emit_atom(std::string(any_character));
      case 'A':
      case 'Z':
      case 'z':
      case 'G':
      case 'X':
        ++at_;
        return emit_atom(std::string(in_.substr(begin, 2)));
      case 'k':
      case 'g':
        return reference();
      default:
        break;
    }
    if (in_[at_] >= '1' && in_[at_] <= '9') {
      const auto group = number(10, 3);
      return emit_atom("\\g{" + std::to_string(group.value_or(0)) + "}");
    }
    CharacterSet one;
    at_ = begin;
    if (const auto literal = set_escape(one)) one.items += code_point_item(*literal);
    emit_atom(one.pattern());
  }

  /// Copies \k<name> and \g<name>, which PCRE2 writes in the same way.
  void reference() {
    const std::size_t begin = at_ - 1;
    const char open = at_ + 1 < in_.size() ? in_[at_ + 1] : ' ';
    const std::size_t end = in_.find(open == '<' ? '>' : '\'', at_ + 2);
    if ((open != '<' && open != '\'') || end == std::string_view::npos) return refuse("an unfinished name");
    const std::string_view name = in_.substr(at_ + 2, end - at_ - 2);
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
    const bool is_call = in_[at_] == 'g';
    at_ = end + 1;
    if (is_number && !is_call) return emit_atom("\\g{" + std::string(name) + "}");
    if (name.find_first_of("+-") != std::string_view::npos) return refuse("a reference with a level");
    emit_atom(std::string(in_.substr(begin, at_ - begin)));
  }

  /// Reads an escape that can stand in a set. Returns a character, or adds to `set`.
  std::optional<char32_t> set_escape(CharacterSet& set) {
    ++at_;
    if (at_ == in_.size()) {
      refuse("a '\\' at the end");
      return std::nullopt;
    }
    const char32_t c = take_character();
    switch (c) {
      case 's':
        set.items += white_space_items;
        return std::nullopt;
      case 'S':
        set.items += non_space_items;
        return std::nullopt;
      case 'd':
        set.items += R"(\p{Nd})";
        return std::nullopt;
      case 'D':
        set.items += R"(\P{Nd})";
        return std::nullopt;
      case 'w':
        set.items += word_items;
        return std::nullopt;
      case 'W':
        set.patterns.push_back("[^" + std::string(word_items) + "]");
        return std::nullopt;
      case 'h':
        set.items += hexadecimal_items;
        return std::nullopt;
      case 'H':
        set.patterns.push_back("[^" + std::string(hexadecimal_items) + "]");
        return std::nullopt;
      case 'p':
      case 'P':
        property(set, c == 'P');
        return std::nullopt;
      case 't':
        return U'\t';
      case 'n':
        return U'\n';
      case 'r':
        return U'\r';
      case 'f':
        return U'\f';
      case 'v':
        return U'\v';
      case 'a':
        return U'\a';
      case 'e':
        return U'\x1b';
      case 'b':
        return U'\b';
      case 'x':
      case 'u':
        return coded(c == 'u');
      case '0':
        return number(8, 2).value_or(0);
      default:
        if (c < 0x80 && std::isalnum(static_cast<int>(c)) != 0) {
          refuse("'\\" + std::string(1, static_cast<char>(c)) + "'");
        }
        return c;
    }
  }

  /// Reads \x{H…}, \uHHHH, and \xHH, several of which give the bytes of a character.
  std::optional<char32_t> coded(bool has_four_digits) {
    const bool is_wide = !has_four_digits && take("{");
    const auto value = number(16, is_wide ? 8 : has_four_digits ? 4 : 2);
    if (is_wide && !take("}")) refuse("an unfinished '\\x{'");
    if (value && !is_wide && !has_four_digits && *value > 0x7F) return coded_bytes(static_cast<char>(*value));
    if (!value || *value > 0x10FFFF) {
      refuse("an invalid character code");
      return std::nullopt;
    }
    return static_cast<char32_t>(*value);
  }

  std::optional<char32_t> coded_bytes(char first) {
    std::string bytes(1, first);
    const std::size_t length = static_cast<unsigned char>(first) < 0xE0   ? 2
                               : static_cast<unsigned char>(first) < 0xF0 ? 3
                                                                          : 4;
    while (bytes.size() < length && take("\\x")) bytes += static_cast<char>(number(16, 2).value_or(0));
    if (bytes.size() == length && valid_utf8(bytes) == bytes) return character_at(bytes, 0).value;
    refuse("bytes that do not form a character");
    return std::nullopt;
  }

  void property(CharacterSet& set, bool is_negated) {
    std::string name;
    if (take("{")) {
      if (take("^")) is_negated = !is_negated;
      const std::size_t end = in_.find('}', at_);
      if (end == std::string_view::npos) return refuse("an unfinished '\\p{'");
      name = in_.substr(at_, end - at_);
      at_ = end + 1;
    } else {
      return refuse("'\\p' without '{'");
    }
    const auto items = property_items(name);
    if (!items) return refuse("the unknown property '\\p{" + name + "}'");
    if (!is_negated) {
      set.items += *items;
    } else if (items->starts_with(R"(\p{)") && items->find('}') + 1 == items->size()) {
      set.items += R"(\P)" + items->substr(2);
    } else {
      set.patterns.push_back("[^" + *items + "]");
    }
  }

  static std::optional<std::string> property_items(const std::string& name) {
    std::string plain;
    for (const char c : name) {
      if (c == ' ' || c == '-' || c == '_') continue;
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) return std::nullopt;
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    for (const PropertyName& each : property_names) {
      if (each.name == plain) return std::string(each.items);
    }
    // PCRE2 takes the name of a script for its extensions, and the name of a category only as Unicode writes
    // it.
    const bool is_category = plain.size() <= 2;
    if (is_category && !plain.empty()) {
      plain[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(plain[0])));
    }
    for (const std::string_view kind : {"sc:", ""}) {
      if (is_category && !kind.empty()) continue;
      std::string items = R"(\p{)" + std::string(kind) + plain + "}";
      if (is_known_to_pcre(items)) return items;
    }
    return std::nullopt;
  }

  /// Reads [[:alpha:]] or [[:^alpha:]]. Returns false if there is none.
  bool posix_set(CharacterSet& set) {
    if (!is_next("[:")) return false;
    const std::size_t end = in_.find(":]", at_ + 2);
    if (end == std::string_view::npos) return false;
    std::string_view name = in_.substr(at_ + 2, end - at_ - 2);
    const bool is_negated = name.starts_with("^");
    if (is_negated) name.remove_prefix(1);
    const auto items = property_items(name == "punct" ? "posixpunct" : std::string(name));
    if (!items || name.size() < 4) return false;
    at_ = end + 2;
    if (is_negated) {
      set.patterns.push_back("[^" + *items + "]");
    } else {
      set.items += *items;
    }
    return true;
  }

  /// Reads a set, beginning at its '['.
  CharacterSet set() {
    ++at_;
    if (++depth_ > deepest_nesting) refuse("sets nested too deeply");
    const bool is_negated = take("^");
    std::vector<CharacterSet> parts(1);
    bool is_first = true;
    while (at_ < in_.size() && (!is_next("]") || is_first)) {
      if (take("&&")) {
        parts.emplace_back();
      } else {
        member(parts.back());
      }
      is_first = false;
    }
    if (!take("]") && !error_) refuse("an unfinished '['");
    --depth_;
    CharacterSet whole;
    if (parts.size() == 1) {
      whole = std::move(parts.front());
    } else {
      std::string all = "(?:";
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) all += "(?=" + parts[i].pattern() + ")";
      whole.patterns.push_back(all + parts.back().pattern() + ")");
    }
    whole.is_negated = is_negated;
    return whole;
  }

  /// Reads a character, a range, an escape or a set within a set.
  void member(CharacterSet& set) {
    if (is_next("[")) {
      if (posix_set(set)) return;
      return set.add(this->set());
    }
    const auto first = literal(set);
    if (!first) return;
    const bool is_range = is_next("-") && at_ + 1 < in_.size() && in_[at_ + 1] != ']' &&
                          in_[at_ + 1] != '[' && in_.substr(at_ + 1, 2) != "&&";
    set.items += code_point_item(*first);
    if (!is_range) return;
    ++at_;
    CharacterSet rest;
    const auto last = literal(rest);
    if (!last) {  // This is the case in [a-\d].
      set.items += R"(\x{2d})";
      return set.add(rest);
    }
    if (*last < *first) return refuse("a range that ends before it begins");
    set.items += "-" + code_point_item(*last);
  }

  std::optional<char32_t> literal(CharacterSet& set) {
    if (is_next("\\")) return set_escape(set);
    return take_character();
  }

  std::string_view in_;
  std::size_t at_ = 0;
  std::string out_;
  std::size_t atom_ = 0;             ///< The place in `out_` where the last repeatable item begins.
  std::vector<std::size_t> groups_;  ///< Where the open groups begin.
  int depth_ = 0;
  std::optional<std::string> error_;
};

}  // namespace

Result<std::string> pcre_of_oniguruma(std::string_view pattern) {
  if (valid_utf8(pattern) != pattern) return failure("the pattern is not UTF-8");
  return Rewriter(pattern).rewritten();
}

}  // namespace headscope
