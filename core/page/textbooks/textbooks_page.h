#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/textbook/computed_example.h"
#include "core/textbook/worked_examples.h"

namespace headscope {

/// The worked example that the session names, or the first one if it does not exist.
const WorkedExample& shown_example(const Session& session);

/// The program's results for the shown example. Null while they are being computed.
const ComputedExample* computed_example(const PageInputs& in, PageTools& tools);

/// Shows a worked example: what it demonstrates, its source, and the printed numbers of each quantity beside
/// the computed ones. Marks and explains differences.
Page textbooks_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
