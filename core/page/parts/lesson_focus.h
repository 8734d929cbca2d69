#pragma once

#include <vector>

#include "core/lesson/lesson.h"
#include "core/page/page.h"
#include "core/trace/trace.h"

namespace headscope {

/// The boxes that a lesson's step points at, on a page made from this session and pass. If the page draws a
/// stage several times, only in its largest map. Empty for a control.
std::vector<Box> focused_boxes(const Page& page, const LessonFocus& focus, const Session& session,
                               const Trace& trace);

}  // namespace headscope
