#pragma once

#include "core/page/compare/compare_captions.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// One stage of the held subjects and of the edited one beside each other, with one scale; what B has more
/// than A; and the likeliest words of each at its selected token.
Page compare_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
