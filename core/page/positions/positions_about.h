#pragma once

#include "core/model/architecture.h"
#include "core/page/parts/page_text.h"

namespace headscope {

/// Describes how the model knows the order of the words: the method's name, its formula and a sentence about
/// it.
void positions_about(PageText& page, const Architecture& architecture);

}  // namespace headscope
