#pragma once

#include "core/page/decoding/decoding_pictures.h"

namespace headscope {

/// Draws S and z, the state of the head's linear attention after the step's token has been added.
Page state_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step, const PageSize& size);

}  // namespace headscope
