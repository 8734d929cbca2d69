#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/textbook/computed_example.h"
#include "core/textbook/worked_examples.h"

namespace headscope {

/// The worked example with the name in the session, or the first one if there is none of that name.
const WorkedExample& shown_example(const Session& session);

/// The program's results for the shown example. Null while they are being computed.
const ComputedExample* computed_example(const PageInputs& in, PageTools& tools);

/// Shows a worked example: what it demonstrates, who published it, and the printed numbers of each quantity
/// beside the computed ones. Differences are marked and explained.
Page textbooks_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
