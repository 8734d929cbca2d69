#pragma once

#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// The stages that the page shows, in its order, which is that of its steps.
std::vector<StageKind> stages_on_page(const PageInputs& in);

/// Shows every stage of the selected head in groups, from what enters its layer to what leaves it. The page
/// is as high as its contents.
Page stages_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The sizes of what the head reads and of what it hands on.
Headline stages_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
