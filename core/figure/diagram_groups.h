#pragma once

#include <vector>

#include "core/figure/diagram.h"

namespace headscope {

/// Bars below the heads that share keys and values, whose boxes lie so many in a row; a bar goes on in the
/// next row where its group does.
void mark_groups(const Architecture& architecture, const std::vector<Box>& heads, int in_row,
                 Diagram& diagram);

}  // namespace headscope
