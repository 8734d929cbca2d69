#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/module_trace.h"
#include "core/engine/module_weights.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Rows of one or more heads: [H, T, K].
struct HeadRows {
  std::string name;  ///< what messages call them
  int n_heads = 0;
  int n_rows = 0;
  int width = 0;
  std::vector<float> numbers;
};

/// Reads rows of heads from a .npy file, [T, K] of one head or [H, T, K], or a matrix of one head from text
/// (core/io/matrix_text.h). Errors, each with what to do: other shapes, NaN and ±∞.
Result<HeadRows> read_head_rows(const std::filesystem::path& file);

/// Attention without the projections before and after it: queries [H, T, K], keys [G, S, K] and values
/// [G, S, V]. Where G is smaller than H, which it must divide, query head h has key head h / (H / G), as in
/// Ainslie et al. 2023.
struct AttentionCore {
  HeadRows query, key, value;
};

/// `base` with a model that is nothing but this attention. As many queries as keys, the first query at the
/// place of the first key, are self-attention; otherwise the model is cross-attention alone. Of the
/// architecture of `base`, the scale and the softcap of the scores stay. A text with as many tokens as there
/// are rows stays, another one is replaced by the rows' numbers. Errors, each with both
/// shapes: widths, rows or heads that do not go together, sizes beyond ArchitectureLimits.
Result<Session> with_core(Session base, const AttentionCore& core);

/// `base` with a model that is nothing but this module, with `n_heads` heads, and with what it is given;
/// nothing: the embeddings of the texts. Where the keys have an input of their own, the model is
/// cross-attention alone. Errors: heads as check_heads(), inputs of other widths than the weights take, and
/// what a model of one width cannot be: values from other rows than the keys, inputs or an output of another
/// width than the queries' input.
Result<Session> with_module(Session base, const ModuleWeights& weights,
                            const std::optional<ModuleInputs>& inputs, int n_heads);

}  // namespace headscope
