#pragma once

#include "core/session/json_fields.h"
#include "core/textbook/worked_example.h"

namespace headscope {

/// Reads where a quantity's numbers come from. The field is "stage" (a path, a name at the selected place, or
/// a list of these), "visible", "candidates", "tile", "count" or "cache".
/// \param selection The selection of the quantity's case.
Origin read_origin(const JsonFields& fields, const Selection& selection);

}  // namespace headscope
