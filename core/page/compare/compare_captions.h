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

/// The letter of a subject and its sentence, and where in which model it is looked at.
Page subject_caption(const PageInputs& in, PageTools& tools, int held, float width);

/// In what the subjects of a difference differ.
Page difference_caption(const PageInputs& in, PageTools& tools, float width);

}  // namespace headscope
