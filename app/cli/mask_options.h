#pragma once

#include <string>
#include <vector>

#include "core/model/mask.h"

namespace headscope {

/// Adds what --mask names, one after the other, to `spec`: none (clears what came before), causal, window:W,
/// padding:I,J, painted:Q.K,Q.K, or FILE.npy, which is read. Indices must lie inside `n_tokens`.
Result<MaskSpec> with_masks(MaskSpec spec, const std::vector<std::string>& masks, int n_tokens);

/// The --mask values that make `spec` again.
std::vector<std::string> mask_words(const MaskSpec& spec);

}  // namespace headscope
