#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"
#include "core/result.h"

namespace headscope {

/// What is asked of two compared passes: how far the words that A and B expect are apart in B if a part of A
/// is taken into it. `a` are the inputs of the first held subject alone. Errors say why nothing can be asked.
Result<PatchQuestion> patch_question(const PageInputs& in, const PageInputs& a);

/// Adds the maps: how much of the way from B's answer to A's the output of each head takes, and each token's
/// row that enters a layer. What takes long is computed only after PatchMemo::wanted asks for it.
void add_patches(const PageInputs& in, PageTools& tools, PageText& page);

}  // namespace headscope
