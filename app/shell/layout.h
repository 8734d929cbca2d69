#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Lays out the window for one frame: bar on top, sentence, controls, the view, the inspector, one quiet line
/// below. In a narrow window controls and inspector share a column; in a small one there is one column. While
/// presenting, the page is alone.
void window_layout(Frame& frame, int n_threads);

}  // namespace headscope
