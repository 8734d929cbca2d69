#include "app/cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <sstream>

#include "app/cli/option_values.h"
#include "core/exact_text.h"
#include "core/overloaded.h"
#include "core/session/setting_value.h"
#include "core/session/settings.h"
#include "core/split_text.h"
#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr std::size_t min_columns = 40;
constexpr std::size_t name_columns = 24;

std::size_t columns_of(const std::string& text) {
  return code_points(text).size();
}

/// Wraps a text. `lead` starts the first line, and `indent` blanks every other one.
std::string wrapped(const std::string& lead, const std::string& text, std::size_t indent,
                    std::size_t columns) {
  std::string page = lead;
  std::size_t column = columns_of(lead);
  bool begins_line = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t width = columns_of(word);
    if (!begins_line && column + 1 + width > columns) {
      page += '\n' + std::string(indent, ' ');
      column = indent;
      begins_line = true;
    }
    if (!begins_line) page += ' ';
    page += word;
    column += width + (begins_line ? 0 : 1);
    begins_line = false;
  }
  return page + '\n';
}

/// An option with the name of its value: “--head N”.
std::string name_with_value(const CLI::Option& option) {
  std::string name = option.get_name(false, true);
  if (const auto comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  const bool has_value = option.get_type_size() != 0 && !option.get_type_name().empty();
  return has_value ? name + ' ' + option.get_type_name() : name;
}

std::string option_lines(const CLI::Option& option, const std::string& text, std::size_t columns) {
  std::string name = "  " + name_with_value(option);
  if (option.get_required()) name += " (required)";
  const std::size_t indent = std::min(2 + name_columns, columns / 2);
  const std::size_t own = columns_of(name);
  if (own + 2 <= indent) return wrapped(name + std::string(indent - own, ' '), text, indent, columns);
  return name + '\n' + wrapped(std::string(indent, ' '), text, indent, columns);
}

std::string from_to(const std::string& low, const std::string& high) {
  return low + " to " + high;
}

/// The limits of a setting, such as “8 to 1024”. Empty if the sentence states them or the rest of the session
/// sets them.
std::string limits_of(const Setting& setting) {
  const Overloaded limits{
      [](const field::Integer& f) {
        constexpr int no_limit = std::numeric_limits<int>::max();
        if (f.last || f.high == no_limit) return std::string();
        return from_to(std::to_string(f.low), std::to_string(f.high));
      },
      [](const field::OptionalInteger& f) {
        if (f.last) return std::string();
        return from_to(std::to_string(f.low), std::to_string(f.high)) + ", or " + std::string(f.none);
      },
      [](const field::Real& f) { return from_to(exact_text(f.low), exact_text(f.high)); },
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

/// Whether the help states a default, which texts lack.
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

using Options = std::vector<const CLI::Option*>;

Options options_in(const CLI::App& command, const std::string& group) {
  return command.get_options([&](const CLI::Option* each) { return each->get_group() == group; });
}

std::size_t clamp_columns(int columns) {
  return std::max(static_cast<std::size_t>(std::max(columns, 0)), min_columns);
}

std::string examples_of(const CLI::App& command, std::size_t columns) {
  std::string page;
  std::istringstream footer(command.get_footer());
  for (std::string line; std::getline(footer, line);)
    page += line.starts_with(' ') ? line + '\n' : wrapped("", line, 0, columns);
  return page;
}

std::string listed_group(const std::string& group, const Options& options, std::size_t columns) {
  constexpr std::size_t indent = 4;
  const std::string names =
      join_texts(options, ", ", [](const CLI::Option* option) { return name_with_value(*option); });
  return wrapped("  " + group + ": ", names, indent, columns);
}

/// What an option does, and the keys of the settings that it changes.
std::string text_with_keys(const CLI::Option& option) {
  std::vector<std::string_view> keys;
  for (const Setting& each : all_settings) {
    const bool is_own = each.option == option.get_name() && !std::holds_alternative<field::Given>(each.field);
    if (is_own) keys.push_back(each.key);
  }
  if (keys.empty()) return option.get_description();
  return option.get_description() + (keys.size() == 1 ? ". Key: " : ". Keys: ") + join_texts(keys, ", ");
}

}  // namespace

std::string help_page(const CLI::App& command, int requested_columns) {
  constexpr std::size_t max_explained = 8;
  const std::size_t columns = clamp_columns(requested_columns);
  std::string page = wrapped("", command.get_description(), 0, columns);
  page += "Usage: headscope " + command.get_name() + " [OPTIONS]\n\n" + examples_of(command, columns);
  std::string listed;
  for (const std::string& group : command.get_groups()) {
    if (group.empty()) continue;  // hidden from the help
    const Options options = options_in(command, group);
    if (options.size() > max_explained) {
      listed += listed_group(group, options, columns);
      continue;
    }
    page += '\n' + group + ":\n";
    for (const CLI::Option* option : options)
      page += option_lines(*option, option->get_description(), columns);
  }
  if (listed.empty()) return page;
  return page + wrapped("\nMore options, which “headscope options WORD” explains:", "", 0, columns) + listed;
}

std::string options_page(const CLI::App& command, std::string_view word, int requested_columns) {
  const std::size_t columns = clamp_columns(requested_columns);
  const std::string sought = to_lower_case(word);
  std::string page;
  for (const std::string& group : command.get_groups()) {
    std::string lines;
    for (const CLI::Option* option : options_in(command, group)) {
      const std::string text = text_with_keys(*option);
      const bool is_found =
          to_lower_case(name_with_value(*option) + " " + text).find(sought) != std::string::npos;
      if (is_found) lines += option_lines(*option, text, columns);
    }
    if (!lines.empty()) page += (page.empty() ? "" : "\n") + group + ":\n" + lines;
  }
  return page;
}

std::string help_of(const Setting& setting, const std::string& default_text) {
  if (const auto* flag = std::get_if<field::Flag>(&setting.field)) {
    return flag->given ? setting.sentence : switched_off(setting.sentence);
  }
  std::string text = setting.sentence;
  const std::string limits = limits_of(setting);
  if (!limits.empty()) text += (text.find(": ") == std::string::npos ? ": " : ". It takes ") + limits;
  return default_text.empty() ? text : text + " (" + default_text + ")";
}

std::string help_of(const Setting& setting) {
  if (!setting.default_text.empty()) return help_of(setting, std::string(setting.default_text));
  static const Session defaults = default_session();  // a parser asks for every setting
  return help_of(setting, has_default(setting) ? value_text(setting, defaults) : "");
}

}  // namespace headscope
