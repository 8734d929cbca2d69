#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "core/result.h"
#include "core/textbook/computed_example.h"
#include "core/textbook/worked_examples.h"

namespace headscope {

/// Fails in the same way if there is no example of this name.
void check_example(const std::string& option, const std::string& name);

/// The session in which the window shows the requested example. Empty if the example is to be printed.
std::optional<Session> textbook_in_window(const CommandOptions& options);

/// Prints an example with all its quantities: the printed numbers beside the computed ones. Numbers that
/// differ have a star.
void print_example(const WorkedExample& example, const ComputedExample& computed, std::ostream& out);

/// Print the heading of a table of examples, and the line of one example followed by its differences.
void print_check_heading(std::ostream& out);
void print_check(const WorkedExample& example, const ComputedExample& computed, std::ostream& out);

}  // namespace headscope
