#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Lays out the window for one frame: the bar on top, the sentence, the controls, the view, the inspector,
/// and a status line at the bottom. In a narrow window, controls and inspector share a column; in a small
/// one, there is only one column. A presentation shows only the page.
void window_layout(Frame& frame, int n_threads);

}  // namespace headscope
