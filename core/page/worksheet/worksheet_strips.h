#pragma once

#include "core/page/parts/page_text.h"
#include "core/trace/explain.h"

namespace headscope {

/// Adds the way to a cell's number for paper: rows of the numbers from which it is computed, and a frame for
/// each result. The frames are empty if `hides` is set. Numbers that another page asks for are left empty,
/// too.
void worksheet_derivation(PageText& page, const PageInputs& in, const Explanation& explanation, bool hides);

}  // namespace headscope
