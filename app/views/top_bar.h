#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Name, architecture in words, the views, and what acts on the whole: undo, difference, theme, export, help.
void top_bar(Frame& frame);

/// "encoder · 1 layer × 4 heads · d_model 64 · d_head 16".
std::string architecture_in_words(const Architecture& architecture);

}  // namespace headscope
