#pragma once

#include <iosfwd>

#include "core/textbook/computed_example.h"

namespace headscope {

/// All worked examples, a line each, below their sources.
void print_examples(std::ostream& out);

/// An example with all its quantities: the printed numbers beside the computed ones, those that differ with a
/// star.
void print_example(const WorkedExample& example, const ComputedExample& computed, std::ostream& out);

/// The heading of a table of examples, and an example's line in it, with what differs in lines below.
void print_check_heading(std::ostream& out);
void print_check(const WorkedExample& example, const ComputedExample& computed, std::ostream& out);

}  // namespace headscope
