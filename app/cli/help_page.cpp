#include "app/cli/help_page.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr std::size_t least_columns = 40;
constexpr std::size_t name_columns = 24;

std::size_t columns_of(const std::string& text) {
  return code_points(text).size();
}

/// Wraps the words of a text. `lead` begins the first line, and `indent` blanks begin each following line.
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

std::string option_lines(const CLI::Option& option, std::size_t columns) {
  std::string name = "  " + option.get_name(false, true);
  if (const auto comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  if (option.get_type_size() != 0 && !option.get_type_name().empty()) name += ' ' + option.get_type_name();
  if (option.get_required()) name += " (required)";
  const std::size_t indent = std::min(2 + name_columns, columns / 2);
  const std::size_t own = columns_of(name);
  const std::string& text = option.get_description();
  if (own + 2 <= indent) return wrapped(name + std::string(indent - own, ' '), text, indent, columns);
  return name + '\n' + wrapped(std::string(indent, ' '), text, indent, columns);
}

}  // namespace

std::string help_page(const CLI::App& command, int requested_columns) {
  const std::size_t columns =
      std::max(static_cast<std::size_t>(std::max(requested_columns, 0)), least_columns);
  std::string page = wrapped("", command.get_description(), 0, columns);
  page += "Usage: headscope " + command.get_name() + " [OPTIONS]\n";
  for (const std::string& group : command.get_groups()) {
    if (group.empty()) continue;  // hidden from the help
    page += '\n' + group + ":\n";
    for (const CLI::Option* option :
         command.get_options([&](const CLI::Option* each) { return each->get_group() == group; })) {
      page += option_lines(*option, columns);
    }
  }
  page += '\n';
  std::istringstream footer(command.get_footer());
  for (std::string line; std::getline(footer, line);) {
    page += line.starts_with(' ') ? line + '\n' : wrapped("", line, 0, columns);
  }
  return page;
}

}  // namespace headscope
