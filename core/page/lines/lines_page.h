#pragma once

#include "core/page/lines/shown_lines.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Lines from every token to those that it attends to, of the selected head or of those that are picked,
/// each in its own colour: between two columns, queries left and keys right, or as arcs over one line. Of the
/// tokens that are picked or under the mouse, only theirs, with the shares at their other ends. As wide as
/// the room and as high as the tokens need.
Page lines_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
