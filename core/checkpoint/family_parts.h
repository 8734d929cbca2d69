#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/checkpoint/family.h"

namespace headscope {

// The parts that the configurations of several families share.

/// A stack of causal layers with residual connections and a norm before each sublayer. With is_causal: false,
/// every token sees the whole text.
Architecture causal_layers(ModelConfig& config);
/// A stack of layers in which every token sees the whole text, with residual connections and a norm after
/// each sum.
Architecture encoding_layers(ModelConfig& config);

/// Sets the final linear layer. It is the embedding table if the configuration ties the two, otherwise the
/// layer in the file. The model has none if neither applies and the file holds a model without one.
void set_output_layer(ModelConfig& config, const CheckpointFiles& files, std::string_view weight,
                      bool tied_otherwise, Architecture& architecture);

/// Sets rotary positions that pair halves, from rope_theta and rope_scaling or rope_parameters.
void set_rotary(ModelConfig& config, double base_otherwise, int context, Architecture& architecture);

/// The fraction of a head's dimensions that is rotated, from `key` or, in newer files, from rope_parameters.
float rotary_fraction(ModelConfig& config, std::string_view key, double otherwise);

/// Sets the number of tokens in the window of the sliding layers. 0 stands for no window.
void set_windows(ModelConfig& config, int window, const std::vector<bool>& slides,
                 Architecture& architecture);
/// Whether each layer has a sliding window according to the list layer_types. Empty if there is no such list.
std::vector<bool> sliding_layers(ModelConfig& config, int n_layers);
/// The same, where without such a list every layer but each `every`-th has a window; all if that is 0. Empty
/// if the model has more layers than any may have.
std::vector<bool> sliding_layers_or(ModelConfig& config, int n_layers, int every);

/// A norm's gain or bias that a file may lack, because it was folded into the weights that follow or because
/// the norm has none.
constexpr TensorRule gain_if_any(std::string_view path, std::string_view tensor) {
  return {.path = path, .tensor = tensor, .if_missing = 1.0F};
}
constexpr TensorRule bias_if_any(std::string_view path, std::string_view tensor) {
  return {.path = path, .tensor = tensor, .if_missing = 0.0F};
}

/// Rules that families share, one table after another.
template <std::size_t... n>
constexpr auto joined(const std::array<TensorRule, n>&... tables) {
  std::array<TensorRule, (n + ...)> all{};
  auto* to = all.data();
  ((to = std::copy(tables.begin(), tables.end(), to)), ...);
  return all;
}

/// Reads the embedding table from the final linear layer, because a file may contain either of the two tied
/// tensors.
inline constexpr TensorRule tied_table_rule{
    .path = "embedding.table", .tensor = "^lm_head.weight", .if_tied = true};

/// The prefix of families whose names have none.
inline constexpr std::array no_prefix{std::string_view("")};

/// The tables that families in one file add to families().
std::span<const Family> causal_families();
std::span<const Family> llama_families();
std::span<const Family> encoder_families();
std::span<const Family> encoder_decoder_families();
std::span<const Family> transformer_lens_families();
std::span<const Family> original_families();

}  // namespace headscope
