#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "core/result.h"
#include "core/textbook/worked_example.h"

namespace headscope {

/// The worked example of a name, as `option` gives it. Errors name those that may have been meant.
Result<const WorkedExample*> example_named(const std::string& option, const std::string& name);

/// Whether there is one of this name; the same errors.
Result<void> check_example(const std::string& option, const std::string& name);

/// Takes the name of the example out of the arguments that are no options.
void take_example(CommandOptions& options, std::vector<std::string>& rest);

/// The session in which the window shows the example that was asked for; nothing where it is to be printed.
std::optional<Session> textbook_in_window(const CommandOptions& options);

}  // namespace headscope
