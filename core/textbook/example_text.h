#pragma once

#include <string>

#include "core/textbook/computed_example.h"

namespace headscope {

/// For example, "Sebastian Raschka: Build a Large Language Model, section 3.5.1".
std::string source_text(const WorkedExample& example);

/// The stage of a quantity and, if the example has several cases, its case: "weights · no mask".
std::string place_of_quantity(const WorkedExample& example, const Quantity& quantity);

/// For example, "agrees to 4 digits", "2 of 36 numbers differ", "not printed in the source".
std::string verdict_text(const Quantity& quantity, const ComputedQuantity& computed);

/// For example, "All 98 printed numbers agree.", or how many agree and how many quantities differ for a
/// stated reason.
std::string agreement_text(const WorkedExample& example, const ComputedExample& computed);

}  // namespace headscope
