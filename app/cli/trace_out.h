#pragma once

#include <string>

#include "core/result.h"

namespace headscope {

/// A usage error if a trace, or one stage of it, cannot be written to the path that --out names.
Result<void> check_trace_out(const std::string& out, bool one_stage);

}  // namespace headscope
