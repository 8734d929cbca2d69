#pragma once

#include "core/textbook/json_fields.h"
#include "core/textbook/worked_example.h"

namespace headscope {

/// Where a quantity's numbers are taken from, as one of its fields says: "stage" (a path, or a name at the
/// selected place, or a list of them), "visible", "candidates", "tile", "count" or "cache".
/// \param selection of the quantity's case
Origin read_origin(const JsonFields& fields, const Selection& selection);

}  // namespace headscope
