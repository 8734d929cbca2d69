#pragma once

#include "core/page/decoding/decoding_pictures.h"

namespace headscope {

/// The state of the head's linear attention once the step's token is in it: S and z.
Page state_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step, const PageSize& size);

}  // namespace headscope
