#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/textbook/worked_example.h"

namespace headscope {

/// The worked example that the page shows: the one of the session's name, or the first.
const WorkedExample& shown_example(const Session& session);

/// What the program computes for it; null while it is being computed.
const ComputedExample* computed_example(const PageInputs& in, PageTools& tools);

/// A worked example: what it shows and who published it, and for each of its quantities the printed numbers
/// beside the computed ones, with what differs marked and why.
Page textbooks_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
