#pragma once

#include <string>
#include <vector>

#include "core/model/mask.h"

namespace headscope {

/// The option that masks were given by, and the tokens that they count in.
struct MaskOption {
  const char* name = "--mask";
  int n_queries = 0;
  int n_keys = 0;
};

/// Adds what the option names, one after the other, to `spec`: none (clears what came before), causal,
/// window:W, prefix:P, padding:I,J, painted:Q.K,Q.K, or FILE.npy, which is read. Indices must lie inside.
Result<MaskSpec> with_masks(MaskSpec spec, const std::vector<std::string>& masks, const MaskOption& option);

/// The values that make `spec` again.
std::vector<std::string> mask_words(const MaskSpec& spec);

/// What --mask-value says that hidden cells hold: inf (−∞), 1e9 (−1e9), or any finite number as it stands.
Result<float> mask_value_of(const std::string& given);
/// The text that mask_value_of() reads as `value`.
std::string mask_value_word(float value);

}  // namespace headscope
