#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// The position of the head axis in a tensor of TransformerLens, which stores all heads of a layer together.
enum class LensHeads {
  none,     ///< [tokens, d]: a stage that does not belong to a single head.
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

/// The tensors of a pass for which TransformerLens has a name, in the order of computation. The parameters,
/// if requested, come first. Empty for a model of two stacks, whose tensors TransformerLens names
/// differently.
std::vector<LensTensor> lens_tensors(const Trace& trace, bool with_parameters = false);

/// The stage, for head 0, to which a TransformerLens name refers in a model, which may lack it. Empty if no
/// stage has that name.
std::optional<StageId> stage_of_lens_name(const Architecture& architecture, std::string_view name);

}  // namespace headscope
