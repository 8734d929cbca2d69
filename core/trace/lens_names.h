#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// The head axis of a tensor of TransformerLens, which stores all heads of a layer together.
enum class LensHeads {
  none,     ///< [tokens, d]: not a per-head stage
  between,  ///< [tokens, heads, d]: vectors; shared keys occur once
  first,    ///< [heads, queries, keys], or for parameters [heads, d, width] and [heads, width]
  in_rows   ///< [heads, width, d]: a parameter split by rows
};

/// A tensor under its name in TransformerLens 2: a hook of HookedTransformer or HookedEncoder
/// (“blocks.0.attn.hook_pattern”), “logits”, or a parameter of the state dict (“blocks.0.attn.W_Q”). Numbers
/// are those of a model loaded without weight processing.
struct LensTensor {
  std::string name;
  LensHeads heads = LensHeads::none;
  StageId stage;  ///< With head 0 if the tensor has heads
};

/// The tensors of a pass that TransformerLens has names for, in order of computation; parameters, if
/// requested, come first. Empty for encoder-decoder models, whose names differ.
std::vector<LensTensor> lens_tensors(const Trace& trace, bool with_parameters = false);

/// Parses a TransformerLens name into a stage with head 0, which the model may lack. Empty for unknown names.
std::optional<StageId> parse_lens_name(const Architecture& architecture, std::string_view name);

}  // namespace headscope
