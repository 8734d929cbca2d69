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
    one_for_each<ModuleFormat, std::string_view>("torch", "packed", "separate", "labml");
inline std::string_view name_of(ModuleFormat format) {
  return module_format_names[index_of(format)];
}

/// The weights of one attention module. Heads are side by side, as in AttentionWeights; no format stores how
/// many there are.
struct ModuleWeights {
  ModuleFormat format = ModuleFormat::torch;
  /// The common beginning of the names of all its tensors: "encoder.layers.0.self_attn."
  std::string prefix;
  AttentionWeights attention;
  Biases bias;  ///< The biases that the file holds.

  bool has_output() const { return attention.out.n_out() > 0; }
};

/// Reads the weights of one attention module in the given format or, if there is none, in the format that the
/// names indicate. Tensors that are not below the module's prefix are ignored. It is an error if there is no
/// module or several, if tensors are missing, duplicated or unknown, if shapes do not match, or if there are
/// types other than F32, NaN or ±∞. The message lists the names and shapes that were found and expected, and
/// says what to do.
Result<ModuleWeights> read_module_weights(const std::filesystem::path& file,
                                          std::optional<ModuleFormat> format);
/// The same from tensors that have been read. `name` is what messages call the file.
Result<ModuleWeights> module_weights_of(const Safetensors& tensors, const std::string& name,
                                        std::optional<ModuleFormat> format);

}  // namespace headscope
