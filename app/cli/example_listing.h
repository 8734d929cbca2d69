#pragma once

#include <iosfwd>

#include "core/textbook/computed_example.h"

namespace headscope {

/// Lists all worked examples, one per line, below their sources.
void print_examples(std::ostream& out);

/// Prints an example with all its quantities: the printed numbers beside the computed ones. Numbers that
/// differ have a star.
void print_example(const WorkedExample& example, const ComputedExample& computed, std::ostream& out);

/// Print the heading of a table of examples, and the line of one example followed by its differences.
void print_check_heading(std::ostream& out);
void print_check(const WorkedExample& example, const ComputedExample& computed, std::ostream& out);

}  // namespace headscope
