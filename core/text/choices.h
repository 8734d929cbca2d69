#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The sentences that one with a choice in it stands for: “was too {tired|wide}” for “was too tired” and “was
/// too wide”. Several choices go together, each with the same number of alternatives. The sentence alone
/// where it has no choice, choices of different numbers, or more than `most` alternatives.
std::vector<std::string> choices_of(std::string_view sentence, std::size_t most = 8);

}  // namespace headscope
