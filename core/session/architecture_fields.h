#pragma once

#include <limits>

#include "core/session/json_fields.h"

namespace headscope {

/// The fields of an architecture, for sessions and for model folders alike.
template <class Archive>
void describe(Archive& archive, Architecture& architecture) {
  using Limits = ArchitectureLimits;
  archive.number("d_model", architecture.d_model, Limits::min_d_model, Limits::max_d_model);
  archive.number("heads", architecture.n_heads, Limits::min_heads, Limits::max_heads);
  archive.number("d_head", architecture.d_head, Limits::min_head_width, Limits::max_head_width);
  archive.number("d_value", architecture.d_value, Limits::min_head_width, Limits::max_head_width);
  archive.group("bias", [&](Archive& bias) {
    bias.flag("query", architecture.bias.query);
    bias.flag("key", architecture.bias.key);
    bias.flag("value", architecture.bias.value);
    bias.flag("output", architecture.bias.output);
  });
  archive.flag("output_projection", architecture.output_projection);
  archive.choice("stacks", architecture.stacks);
  archive.number("layers", architecture.n_layers, Limits::min_layers, Limits::max_layers);
  archive.number("d_ff", architecture.d_ff, 0, Limits::max_d_ff);
  archive.choice("activation", architecture.activation);
  archive.choice("norm", architecture.norm);
  archive.flag("residual", architecture.residual);
  archive.choice("output_layer", architecture.output_layer);
  archive.flag("output_bias", architecture.output_bias);
  archive.flag("scales_embedding", architecture.scales_embedding);
  archive.choice("positions", architecture.positions);
  archive.choice("init", architecture.init);
  archive.number("seed", architecture.seed, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace headscope
