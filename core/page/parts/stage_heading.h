#pragma once

#include <string>

#include "core/page/parts/page_text.h"

namespace headscope {

/// The title of a stage. It says so if a difference is shown.
std::string heading_title(const PageInputs& in, StageKind kind);

/// Adds the formula of a stage and, with details, its sum in letters. For a difference, adds what is
/// subtracted.
void formula_line(PageText& page, const PageInputs& in, const StageId& stage, float room = 0.0F);

/// Adds the shape of a stage, its formula, and its sum in letters on one line.
void shape_line(PageText& page, const PageInputs& in, const StageId& stage);

}  // namespace headscope
