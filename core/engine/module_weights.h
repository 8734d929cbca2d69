#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/enum_count.h"
#include "core/io/safetensors.h"
#include "core/model/model.h"
#include "core/result.h"

namespace headscope {

/// The naming convention of a file of weights.
enum class ModuleFormat {
  torch,     ///< torch.nn.MultiheadAttention
  packed,    ///< seeds/3: qkv, whose thirds are queries, keys and values, and out_proj.
  separate,  ///< seeds/1: W_q, W_k, W_v, W_o, or query, key, value; seeds/0: q, k, v
  labml      ///< seeds/4: query.linear, key.linear, value.linear, output
};
inline constexpr auto module_format_names =
    make_enum_table<ModuleFormat, std::string_view>("torch", "packed", "separate", "labml");
inline std::string_view name_of(ModuleFormat format) {
  return module_format_names[index_of(format)];
}

/// The weights of one attention module. Heads are side by side, as in AttentionWeights; no format stores
/// their number.
struct ModuleWeights {
  ModuleFormat format = ModuleFormat::torch;
  /// The common prefix of the names of all its tensors: "encoder.layers.0.self_attn."
  std::string prefix;
  AttentionWeights attention;
  Biases bias;  ///< The biases that the file holds.

  bool has_output() const { return attention.out.n_out() > 0; }
};

/// Reads the weights of one attention module in the given format, or in the one that the names indicate.
/// Ignores tensors without the module's prefix. Errors, with the names and shapes found and expected, and
/// what to do: there is no module, or several; tensors are missing, duplicated or unknown; shapes do not
/// match; types are not F32; NaN or ±∞.
Result<ModuleWeights> read_module_weights(const std::filesystem::path& file,
                                          std::optional<ModuleFormat> format);
/// The same from parsed tensors. `name` is the name of the file in messages.
Result<ModuleWeights> module_weights_of(const Safetensors& tensors, const std::string& name,
                                        std::optional<ModuleFormat> format);

}  // namespace headscope
