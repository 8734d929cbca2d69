#pragma once

#include <string>

#include "core/trace/trace.h"

namespace headscope {

/// For example, "masked self-attention, 8 heads". Padding alone does not count as masking.
std::string attention_caption(const Trace& trace, const StageId& id);

/// For example, "SiLU", or "gate: SiLU" if the activation multiplies a second layer.
std::string activation_caption(const Architecture& architecture);

}  // namespace headscope
