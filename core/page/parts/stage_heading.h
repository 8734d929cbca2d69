#pragma once

#include <string>

#include "core/page/parts/page_text.h"

namespace headscope {

/// The title of a stage, which says where a difference is shown.
std::string heading_title(const PageInputs& in, StageKind kind);

/// Adds how a stage is computed, with details its sum in letters; of a difference, what is shown.
void formula_line(PageText& page, const PageInputs& in, const StageId& stage, float room = 0.0F);

/// Adds a stage's title and its formula on one line; with details, its title, shape and place, and the
/// formula below. Nothing where the pass has no such stage.
void stage_heading(PageText& page, const PageInputs& in, const StageId& stage);

}  // namespace headscope
