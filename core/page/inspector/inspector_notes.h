#pragma once

#include "core/page/parts/page_text.h"

namespace headscope {

/// Notes how the pass differs from the conditions under which its weights were trained.
void notes_on_answer(PageText& page, const PageInputs& in, int query);

/// Notes what attention does not show, and that the patterns of random weights mean nothing.
void closing_words(PageText& page, const PageInputs& in);

}  // namespace headscope
