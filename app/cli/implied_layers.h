#pragma once

#include <string_view>

#include "app/cli/command_options.h"
#include "core/model/architecture.h"

namespace headscope {

/// Whether an option turns a bare attention layer into a full one with norm, residual connections and
/// feed-forward layer. Other options may override each of these.
bool implies_layers(std::string_view option, std::string_view value);

/// Turns a bare attention layer into a full layer if an option implies one.
void imply_layers(const CommandOptions& options, Architecture& architecture);

/// The result of validate(). If the heads do not divide the width, the error begins with the options that set
/// these sizes.
Result<void> checked_sizes(const Architecture& architecture);

}  // namespace headscope
