#include "app/cli/setting_help.h"

#include <limits>

#include "app/cli/option_values.h"
#include "app/cli/setting_words.h"
#include "core/overloaded.h"

namespace headscope {
namespace {

std::string from_to(const std::string& low, const std::string& high) {
  return low + " to " + high;
}

/// The limits of a setting, such as “8 to 1024”. Empty if the sentence states them or the rest of the session
/// sets them.
std::string limits_of(const Setting& setting) {
  const Overloaded limits{
      [](const field::Whole& f) {
        constexpr int no_limit = std::numeric_limits<int>::max();
        if (f.last || f.high == no_limit) return std::string();
        return from_to(std::to_string(f.low), std::to_string(f.high));
      },
      [](const field::OptionalWhole& f) {
        if (f.last) return std::string();
        return from_to(std::to_string(f.low), std::to_string(f.high)) + ", or " + std::string(f.none);
      },
      [](const field::Decimal& f) { return from_to(number_word(f.low), number_word(f.high)); },
      [](const field::Choice& f) {
        return joined_with_or({f.names.begin(), f.names.end()});
      },
      [](const field::NamedFlag& f) {
        return joined_with_or({f.off, f.on});
      },
      [](const auto&) { return std::string(); },
  };
  return std::visit(limits, setting.field);
}

/// Whether the help states a default. Texts have none.
bool has_default(const Setting& setting) {
  return !std::holds_alternative<field::Text>(setting.field) &&
         !std::holds_alternative<field::Texts>(setting.field) && setting.key != "sequence";
}

/// The sentence of an option that switches something off: “Without residual connections …”.
std::string switched_off(std::string sentence) {
  constexpr int to_lower = 'a' - 'A';
  const bool is_capital = sentence[0] >= 'A' && sentence[0] <= 'Z';
  if (is_capital) sentence[0] = static_cast<char>(sentence[0] + to_lower);
  return "Without " + sentence;
}

}  // namespace

std::string help_of(const Setting& setting, const std::string& usual) {
  if (const auto* flag = std::get_if<field::Flag>(&setting.field)) {
    return flag->given ? setting.sentence : switched_off(setting.sentence);
  }
  std::string text = setting.sentence;
  const std::string limits = limits_of(setting);
  if (!limits.empty()) text += (text.find(": ") == std::string::npos ? ": " : ". It takes ") + limits;
  return usual.empty() ? text : text + " (" + usual + ")";
}

std::string help_of(const Setting& setting) {
  if (!setting.usual.empty()) return help_of(setting, std::string(setting.usual));
  static const Session defaults = default_session();  // a parser asks for every setting
  return help_of(setting, has_default(setting) ? word_of(setting, defaults) : "");
}

}  // namespace headscope
