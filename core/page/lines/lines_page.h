#pragma once

#include "core/page/lines/shown_lines.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Draws lines from every token to those that it attends to, for the selected head or for the picked heads in
/// one colour each: between two columns, queries on the left and keys on the right, or as arcs over one line.
/// If tokens are picked or hovered, draws only their lines, with the shares at the other ends. The page is as
/// wide as its space and as high as the tokens need.
Page lines_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
