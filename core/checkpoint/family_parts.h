#pragma once

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

/// Reads the embedding table from the final linear layer, because a file may contain either of the two tied
/// tensors.
inline constexpr TensorRule tied_table_rule{
    .path = "embedding.table", .tensor = "^lm_head.weight", .if_tied = true};

/// The tables that families in one file add to families().
std::span<const Family> causal_families();
std::span<const Family> llama_families();
std::span<const Family> encoder_families();
std::span<const Family> t5_families();
std::span<const Family> transformer_lens_families();

}  // namespace headscope
