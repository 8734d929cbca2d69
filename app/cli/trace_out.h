#pragma once

#include <string>

#include "core/result.h"

namespace headscope {

/// A usage error where --out names nothing that a trace, or one stage of it, is written to.
Result<void> check_trace_out(const std::string& out, bool one_stage);

}  // namespace headscope
