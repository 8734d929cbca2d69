#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// Where the heads are in a tensor of TransformerLens, which keeps those of a layer together.
enum class LensHeads {
  none,     ///< [tokens, d]: a stage that no head has of its own.
  between,  ///< [tokens, heads, d]: vectors. Heads that share keys have them only once.
  first,    ///< [heads, queries, keys] or, for their parameters, [heads, d, width] and [heads, width].
  in_rows   ///< [heads, width, d]: a parameter whose rows belong to one head after another.
};

/// A tensor under its name in the cache of TransformerLens (the names of the hooks of HookedTransformer and
/// HookedEncoder, version 2): “blocks.0.attn.hook_pattern”; “logits”, which a model of TransformerLens
/// returns; or a parameter under its name in the model's state: “blocks.0.attn.W_Q”. The numbers are those of
/// a model that TransformerLens loads without processing its weights.
struct LensTensor {
  std::string name;
  LensHeads heads = LensHeads::none;
  StageId stage;  ///< Of head 0 if the tensor has heads.
};

/// The tensors of a pass that TransformerLens has a name for, in the order of computation, its parameters
/// before them. Empty for a model of two stacks, which TransformerLens names in another way.
std::vector<LensTensor> lens_tensors(const Trace& trace, bool with_parameters = false);

/// The stage that a name of TransformerLens means in a model, for head 0. Empty if the model has no such
/// tensor.
std::optional<StageId> stage_of_lens_name(const Architecture& architecture, std::string_view name);

}  // namespace headscope
