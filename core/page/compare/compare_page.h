#pragma once

#include "core/page/compare/compare_captions.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Shows one stage of the held subjects and of the edited one side by side on one scale, the difference B −
/// A, and the likeliest words of each subject at its selected token.
Page compare_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
