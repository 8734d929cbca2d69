#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// The page of a view, and the view that a page is of; the inspector stands beside the large map.
PageName page_of_view(View view);
View view_of_page(PageName name);

/// A page's picture for the session, its pass and its training. The same inputs and the same size give the
/// same page, on the screen and in files.
Page page_of(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools);

/// A page as the figure of a file: with a margin around it, and with a note where its weights are random.
Figure figure_of_page(const PageInputs& in, PageName name, const PageSize& file_size,
                      const MeasureText& measure);

}  // namespace headscope
