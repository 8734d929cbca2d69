#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The view of how a row is split into heads: a worked example, and the query and key of the sentence's
/// tokens with what each head computes from them.
void split_view(Frame& frame);

}  // namespace headscope
