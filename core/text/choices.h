#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Expands a sentence that contains choices: “was too {tired|wide}” becomes “was too tired” and “was too
/// wide”. If a sentence has several choices, they must have the same number of alternatives, and the first
/// alternatives go together, then the second ones, and so on. Returns the sentence unchanged if it has no
/// choice, if its choices differ in their number of alternatives, or if there are more than `most`
/// alternatives.
std::vector<std::string> choices_of(std::string_view sentence, std::size_t most = 8);

}  // namespace headscope
