#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/module_weights.h"
#include "core/engine/request.h"
#include "core/io/safetensors.h"
#include "core/model/attention.h"
#include "core/result.h"
#include "core/session/session.h"
#include "core/tensor/aligned_buffer.h"
#include "core/tensor/view.h"

namespace headscope {

/// Rows from a file: the input of a module, one per token, or those of heads, one head below another.
struct ModuleRows {
  std::string name;  ///< For messages.
  OwnedMatrix rows;
  int n_heads = 1;

  int rows_of_head() const { return rows.rows / n_heads; }
};

/// The inputs of queries, keys and values. Keys default to the input of the queries, values to that of the
/// keys.
struct ModuleInputs {
  ModuleRows query;                 ///< [T, ·]
  std::optional<ModuleRows> key;    ///< [S, ·]
  std::optional<ModuleRows> value;  ///< [S, ·]

  bool is_cross() const { return key || value; }
  const ModuleRows& key_rows() const { return key ? *key : query; }
  const ModuleRows& value_rows() const { return value ? *value : key_rows(); }
};

/// Reads rows from a .npy file. Errors, with what to do: shapes other than [T, D], types other than float32,
/// NaN and ±∞.
Result<ModuleRows> read_module_rows(const std::filesystem::path& file);

/// The pass of one attention module. It owns its weights, inputs and numbers.
struct ModulePass {
  ModuleWeights weights;
  ModuleInputs inputs;
  AlignedBuffer memory;
  AttentionBuffers buffers;                  ///< They lie in `memory`.
  std::vector<Matrix> contributions;         ///< [T, D] for each head. Empty without an output projection.
  Matrix w_query, w_key, w_value, w_output;  ///< Copies of its weights, which are packed. [in, out]
};

/// Returns a usage error if the number of heads does not divide the widths of queries, keys and values, with
/// the numbers that do.
Result<void> check_heads(const ModuleWeights& weights, int n_heads);

/// Computes the pass. `options.mask` is the mask, whether it is self-attention or cross-attention, and
/// dropout is ignored. Errors: those of check_heads(), inputs whose widths do not match the weights,
/// different numbers of keys and values, those of combine() of core/model/mask.h, a pass larger than
/// `max_bytes`, and numbers that overflow.
Result<ModulePass> module_forward(ModuleWeights weights, ModuleInputs inputs, int n_heads,
                                  const AttentionOptions& options,
                                  std::size_t max_bytes = default_trace_bytes);

/// Every stage and parameter in the order of computation, as those of encoder layer 0: of the attention
/// "cross" if keys or values have their own input, otherwise of "self". The numbers live as long as the pass.
std::vector<TensorView> tensors_of(const ModulePass& pass);

/// Writes them like write_tensors() of core/engine/export.h. The tokens are named "0", "1", ….
Result<void> write_module_trace(const ModulePass& pass, const std::filesystem::path& out,
                                const std::string& session_json);

/// Reads rows of heads from a .npy file, [T, K] for one head or [H, T, K], or a matrix for one head from text
/// (core/io/matrix_text.h). Errors, with what to do: other shapes, NaN and ±∞.
Result<ModuleRows> read_head_rows(const std::filesystem::path& file);

/// Returns `base` with a model that consists of an attention only, without the projections before and after
/// it: `core` has the queries [H, T, K], keys [G, S, K] and values [G, S, V] themselves. G must divide H. If
/// it is smaller, query head h uses key head h / (H / G), as in Ainslie et al. 2023. It is self-attention if
/// there are as many queries as keys and the first query is at the place of the first key, otherwise
/// cross-attention. Keeps the scale and softcap of the scores of `base`. A text is kept if it has as many
/// tokens as there are rows; otherwise, the row numbers replace it. Errors: widths, rows or heads do not
/// match, with both shapes, or exceed ArchitectureLimits.
Result<Session> with_core(Session base, const ModuleInputs& core);

/// Returns `base` with a model that consists of this module only, with `n_heads` heads. The inputs default to
/// the embeddings of the texts. If the keys have their own input, the model has only cross-attention. Errors:
/// those of check_heads(), inputs that do not match the weights, values with another input than the keys, and
/// inputs or an output that are not as wide as the queries' input.
Result<Session> with_module(Session base, const ModuleWeights& weights,
                            const std::optional<ModuleInputs>& inputs, int n_heads);

}  // namespace headscope
