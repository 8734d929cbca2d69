#pragma once

#include "core/page/parts/page_text.h"

namespace headscope {

/// Where the pass differs from the conditions that its weights were trained in.
void notes_on_answer(PageText& page, const PageInputs& in, int query);

/// What attention does not show, and what random weights do not mean.
void closing_words(PageText& page, const PageInputs& in);

}  // namespace headscope
