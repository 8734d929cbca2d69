#pragma once

#include <string_view>

#include "app/cli/command_options.h"
#include "core/model/architecture.h"

namespace headscope {

/// Whether an option makes a bare attention layer a full one, with norm, residual connections and
/// feed-forward layer, as far as others do not say otherwise.
bool implies_layers(std::string_view option, std::string_view value);

/// A bare attention layer becomes a full layer as soon as an option implies one.
void imply_layers(const CommandOptions& options, Architecture& architecture);

/// The result of validate(); where heads do not divide, after the options that the sizes come from.
Result<void> checked_sizes(const Architecture& architecture);

}  // namespace headscope
