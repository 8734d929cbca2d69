#include "app/cli/parser.h"

#include <algorithm>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/help.h"
#include "core/system/process.h"

namespace headscope {

CommandParser::CommandParser(CommandSet known) {
  app.set_version_flag("--version", std::string("headscope ") + version);
  app.allow_extras();
  for (const CommandRecord& record : command_records()) {
    CLI::App* command = app.add_subcommand(record.name, record.summary);
    command->footer(std::string("Examples:\n") + record.examples);
    command->allow_extras();
    add_options_of(record, *command, options);
    commands.push_back({command, record.run});
    if (known == CommandSet::render) return;
  }
  add_options_of_window(app, options);
}

Result<void> run_options(const CommandOptions& o, std::ostream& out) {
  const CommandParser parser;
  const std::string word = o.named.value_or("");
  const std::string page =
      options_page(*parser.app.get_subcommand("render"), word, terminal_columns(default_columns));
  if (page.empty()) return usage_error("no option has “" + word + "” in its name or its text");
  out << page;
  return {};
}

const Subcommand* CommandParser::selected_command() const {
  const auto found =
      std::ranges::find_if(commands, [](const Subcommand& command) { return command.app->parsed(); });
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace headscope
