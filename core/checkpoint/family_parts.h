#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/checkpoint/family.h"

namespace headscope {

// Helpers shared by several families.

/// A stack of causal layers with residual connections and pre-norms. With is_causal: false, every token sees
/// the whole text.
Architecture causal_layers(ModelConfig& config);
/// A stack of layers without a causal mask, with residual connections and post-norms.
Architecture encoding_layers(ModelConfig& config);

/// Sets the final linear layer: the embedding table if the configuration ties the two, otherwise that of the
/// file. None if neither applies and the file has none.
void set_output_layer(ModelConfig& config, const CheckpointFiles& files, std::string_view weight,
                      bool tied_by_default, Architecture& architecture);

/// Sets rotary positions that pair halves, from rope_theta and rope_scaling or rope_parameters.
void set_rotary(ModelConfig& config, double default_base_value, int context, Architecture& architecture);

/// The fraction of a head's dimensions that is rotated, from `key` or, in newer files, from rope_parameters.
float rotary_fraction(ModelConfig& config, std::string_view key, double fallback);

/// Sets the window of the sliding layers, in tokens. 0 for no window.
void set_windows(ModelConfig& config, int window, const std::vector<bool>& slides_by_layer,
                 Architecture& architecture);
/// For each layer, whether layer_types gives it a sliding window. Empty if there is no such list.
std::vector<bool> sliding_layers(ModelConfig& config, int n_layers);
/// The same; without such a list, every layer but each `every`-th slides, or all if that is 0. Empty if the
/// model exceeds the maximum number of layers.
std::vector<bool> sliding_layers_or(ModelConfig& config, int n_layers, int every);

/// A norm's gain or bias that a file may lack, because it was folded into the next weights or does not exist.
constexpr TensorRule optional_gain(std::string_view path, std::string_view tensor) {
  return {.path = path, .tensor = tensor, .if_missing = 1.0F};
}
constexpr TensorRule optional_bias(std::string_view path, std::string_view tensor) {
  return {.path = path, .tensor = tensor, .if_missing = 0.0F};
}

/// Concatenates tables of rules.
template <std::size_t... n>
constexpr auto joined(const std::array<TensorRule, n>&... tables) {
  std::array<TensorRule, (n + ...)> all{};
  auto* to = all.data();
  ((to = std::copy(tables.begin(), tables.end(), to)), ...);
  return all;
}

/// Reads the embedding table from the final linear layer: a file may contain either of the tied tensors.
inline constexpr TensorRule tied_table_rule{
    .path = "embedding.table", .tensor = "^lm_head.weight", .if_tied = true};

/// The prefix of families whose names have none.
inline constexpr std::array no_prefix{std::string_view("")};

/// The families of each file, which families() combines.
std::span<const Family> causal_families();
std::span<const Family> llama_families();
std::span<const Family> encoder_families();
std::span<const Family> encoder_decoder_families();
std::span<const Family> transformer_lens_families();
std::span<const Family> original_families();

}  // namespace headscope
