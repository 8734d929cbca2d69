#pragma once

#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// “B” for the subject that is edited, “A”, “A2”, … for those that are held.
std::string subject_name(int held);

/// What the first held subject and the edited one do not share: “the sentence, the head”; empty where they
/// are the same.
std::string what_differs(const Session& session);

/// One stage of the held subjects and of the edited one beside each other, with one scale; what B has more
/// than A; and the likeliest words of each at its selected token.
Page compare_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
