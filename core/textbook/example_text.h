#pragma once

#include <string>

#include "core/textbook/computed_example.h"

namespace headscope {

/// "Sebastian Raschka: Build a Large Language Model, section 3.5.1"
std::string source_text(const WorkedExample& example);

/// Where the program has a quantity, "weights · no mask": its stage, and its case where there are several.
std::string place_of_quantity(const WorkedExample& example, const Quantity& quantity);

/// "agrees to 4 digits", "2 of 36 numbers differ", "the source prints no numbers".
std::string verdict_text(const Quantity& quantity, const ComputedQuantity& computed);

/// "All 98 printed numbers agree.", or how many do, and how many quantities differ for a stated reason.
std::string tally_text(const WorkedExample& example, const ComputedExample& computed);

}  // namespace headscope
