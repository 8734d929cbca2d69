#pragma once

#include <string>

#include "core/trace/trace.h"

namespace headscope {

/// "masked self-attention, 8 heads". Padding alone is not what that name means.
std::string attention_caption(const Trace& trace, const StageId& id);

/// "SiLU"; "gate: SiLU" where it multiplies a second layer.
std::string activation_caption(const Architecture& architecture);

}  // namespace headscope
