#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// How a row is split into heads: a worked example, and the query and key of this sentence's own tokens with
/// what each head makes of them.
void split_view(Frame& frame);

}  // namespace headscope
