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
#include "core/tensor/aligned_buffer.h"
#include "core/tensor/view.h"

namespace headscope {

/// Rows that a module is given, one a token.
struct ModuleRows {
  std::string name;  ///< what messages call them
  OwnedMatrix rows;
};

/// What queries, keys and values are made from. Without an input of their own, keys use that of the queries,
/// and values that of the keys.
struct ModuleInputs {
  ModuleRows query;                 ///< [T, ·]
  std::optional<ModuleRows> key;    ///< [S, ·]
  std::optional<ModuleRows> value;  ///< [S, ·]

  bool is_cross() const { return key || value; }
  const ModuleRows& key_rows() const { return key ? *key : query; }
  const ModuleRows& value_rows() const { return value ? *value : key_rows(); }
};

/// Reads rows from a .npy file. Errors, each with what to do: other shapes than [T, D], types other than
/// float32, NaN and ±∞.
Result<ModuleRows> read_module_rows(const std::filesystem::path& file);

/// The pass of one attention module. Its weights, inputs and numbers live here.
struct ModulePass {
  ModuleWeights weights;
  ModuleInputs inputs;
  AlignedBuffer memory;
  AttentionBuffers buffers;           ///< in `memory`
  std::vector<Matrix> contributions;  ///< of each head, [T, D]; empty without an output projection
};

/// A usage error if the number of heads does not divide the widths of queries, keys and values; it lists the
/// numbers that do.
Result<void> check_heads(const ModuleWeights& weights, int n_heads);

/// Computes the pass; `options.mask` is the mask, of whatever attention it is, and dropout is left out.
/// Errors: heads as check_heads, inputs of other widths than the weights take, unequal numbers of keys and
/// values, masks as combine() of core/model/mask.h, a pass larger than `max_bytes`, numbers that overflow.
Result<ModulePass> module_forward(ModuleWeights weights, ModuleInputs inputs, int n_heads,
                                  const AttentionOptions& options,
                                  std::size_t max_bytes = default_trace_bytes);

/// Every stage and parameter, in the order in which they are computed: of the attention "cross" where keys or
/// values come from elsewhere, else "self", of encoder layer 0. The numbers live as long as the pass.
std::vector<TensorView> tensors_of(const ModulePass& pass);

/// Writes them as write_tensors of core/engine/tensor_folder.h does; tokens are called "0", "1", ….
Result<void> write_module_trace(const ModulePass& pass, const std::filesystem::path& out,
                                const std::string& session_json);

}  // namespace headscope
