#pragma once

#include "core/model/architecture.h"
#include "core/page/parts/page_text.h"

namespace headscope {

/// A way to know the order of the words: its name, its formula and a sentence about it.
void positions_about(PageText& page, const Architecture& architecture);

}  // namespace headscope
