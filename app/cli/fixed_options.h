#pragma once

#include <string_view>

#include "app/cli/command_options.h"
#include "core/result.h"

namespace headscope {

/// Adds the options of a group, "Model" or "What", that the one model of this version leaves one value each:
/// a single layer of self-attention with random weights.
void add_fixed_options(CLI::App& command, CommandOptions& options, std::string_view group);

/// A usage error where one of them was given another value.
Result<void> check_fixed_options(const CommandOptions& options);

}  // namespace headscope
