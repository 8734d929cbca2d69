#pragma once

#include <optional>
#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"
#include "core/result.h"

namespace headscope {

/// What is asked of two compared passes: how far the words that A and B expect are apart in B if a part of A
/// is taken into it. `a` are the inputs of the first held subject alone. Errors say why nothing can be asked.
Result<PatchQuestion> patch_question(const PageInputs& in, const PageInputs& a);

/// Names the head that makes most of the difference, or says that the parts of A are still being taken. Empty
/// if nothing is asked.
std::string said_of_patches(const PageInputs& in, PageTools& tools);

/// The map of the heads: how much of the way from B's answer to A's the output of each takes. Empty if it is
/// not known, or not readable in this room.
std::optional<Page> patched_heads_page(const PageInputs& in, PageTools& tools, const PageSize& room);

/// Adds the maps: that of the heads, if it is wanted here, and how much of the way each token's row that
/// enters a layer takes. What takes long is computed only after PatchMemo::wanted asks for it.
void add_patches(const PageInputs& in, PageTools& tools, bool has_heads, PageText& page);

}  // namespace headscope
