#pragma once

#include <vector>

#include "core/lesson/lesson.h"
#include "core/page/page.h"
#include "core/trace/trace.h"

namespace headscope {

/// The boxes of what a step of a lesson points at on a page that was made from this session and pass. Of a
/// stage that the page draws several times, only the largest map counts. Empty for a control.
std::vector<Box> focused_boxes(const Page& page, const LessonFocus& focus, const Session& session,
                               const Trace& trace);

}  // namespace headscope
