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

/// The rows of one or more heads: [H, T, K].
struct HeadRows {
  std::string name;  ///< For messages.
  int n_heads = 0;
  int n_rows = 0;
  int width = 0;
  std::vector<float> numbers;
};

/// Reads rows of heads from a .npy file, [T, K] for one head or [H, T, K], or a matrix for one head from text
/// (core/io/matrix_text.h). Errors, with what to do: other shapes, NaN and ±∞.
Result<HeadRows> read_head_rows(const std::filesystem::path& file);

/// Attention without the projections before and after it: queries [H, T, K], keys [G, S, K] and values [G, S,
/// V]. G must divide H. If it is smaller, query head h uses key head h / (H / G), as in Ainslie et al. 2023.
struct AttentionCore {
  HeadRows query, key, value;
};

/// Returns `base` with a model that consists of this attention only: self-attention if there are as many
/// queries as keys and the first query is at the place of the first key, otherwise cross-attention. Keeps the
/// scale and softcap of the scores of `base`. A text is kept if it has as many tokens as there are rows;
/// otherwise, the row numbers replace it. Errors: widths, rows or heads do not match, with both shapes, or
/// exceed ArchitectureLimits.
Result<Session> with_core(Session base, const AttentionCore& core);

/// Returns `base` with a model that consists of this module only, with `n_heads` heads. The inputs default to
/// the embeddings of the texts. If the keys have their own input, the model has only cross-attention. Errors:
/// those of check_heads(), inputs that do not match the weights, values with another input than the keys, and
/// inputs or an output that are not as wide as the queries' input.
Result<Session> with_module(Session base, const ModuleWeights& weights,
                            const std::optional<ModuleInputs>& inputs, int n_heads);

}  // namespace headscope
