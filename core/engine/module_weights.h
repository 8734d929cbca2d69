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

/// Whose names a file of weights uses.
enum class ModuleFormat {
  torch,     ///< torch.nn.MultiheadAttention
  packed,    ///< seeds/3: qkv, whose thirds are queries, keys and values, and out_proj
  separate,  ///< seeds/1: W_q, W_k, W_v, W_o, or query, key, value; seeds/0: q, k, v
  labml      ///< seeds/4: query.linear, key.linear, value.linear, output
};
inline constexpr auto module_format_names =
    one_for_each<ModuleFormat, std::string_view>("torch", "packed", "separate", "labml");
inline std::string_view name_of(ModuleFormat format) {
  return module_format_names[index_of(format)];
}

/// The weights of one attention module. Heads are side by side, as in AttentionWeights; no format stores how
/// many there are.
struct ModuleWeights {
  ModuleFormat format = ModuleFormat::torch;
  std::string prefix;  ///< what the names of all its tensors begin with: "encoder.layers.0.self_attn."
  AttentionWeights attention;
  Biases bias;  ///< those that the file holds

  bool has_output() const { return attention.out.n_out() > 0; }
};

/// Reads the weights of one attention module, in this format, or in the one that its names say. Tensors that
/// are not below the module's prefix are left alone. Errors, each with the names and shapes that were found,
/// those that were expected, and what to do: no module or several, tensors that are missing, duplicated or
/// unknown, shapes that do not match, types other than F32, NaN and ±∞.
Result<ModuleWeights> read_module_weights(const std::filesystem::path& file,
                                          std::optional<ModuleFormat> format);
/// The same from tensors that were read; `name` is what messages call the file.
Result<ModuleWeights> module_weights_of(const Safetensors& tensors, const std::string& name,
                                        std::optional<ModuleFormat> format);

}  // namespace headscope
