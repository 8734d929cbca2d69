#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Expands alternatives in a sentence: “was too {tired|wide}” becomes “was too tired” and “was too wide”.
/// Several groups must have the same number of alternatives and are expanded in parallel. Returns the
/// sentence unchanged if it has no groups, groups of different sizes, or more than `max_alternatives`
/// alternatives.
std::vector<std::string> expand_alternatives(std::string_view sentence, std::size_t max_alternatives = 8);

}  // namespace headscope
