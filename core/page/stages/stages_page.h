#pragma once

#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// The stages on the page, in the order of its steps.
std::vector<StageKind> stages_on_page(const PageInputs& in);

/// Shows every stage of the selected head in groups, from the input of its layer to the output. The page is
/// as high as its contents.
Page stages_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The sizes of the head's input and output.
Headline stages_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
