#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "core/result.h"
#include "core/textbook/worked_example.h"

namespace headscope {

/// The worked example of this name. The error refers to `option` and names examples that may have been meant.
Result<const WorkedExample*> example_named(const std::string& option, const std::string& name);

/// Fails in the same way if there is no example of this name.
Result<void> check_example(const std::string& option, const std::string& name);

/// The session in which the window shows the requested example. Empty if the example is to be printed.
std::optional<Session> textbook_in_window(const CommandOptions& options);

}  // namespace headscope
