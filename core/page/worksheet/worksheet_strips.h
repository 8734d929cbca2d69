#pragma once

#include "core/page/parts/page_text.h"
#include "core/trace/explain.h"

namespace headscope {

/// The way to a cell's number for paper: what it is computed from as rows of numbers, and a frame for each
/// result, which is empty where `hides`. What another page asks for is empty, too.
void worksheet_derivation(PageText& page, const PageInputs& in, const Explanation& explanation, bool hides);

}  // namespace headscope
