#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The lessons of the program as cards: title, summary and the number of steps, in the order in which they
/// are best read.
Page lessons_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
