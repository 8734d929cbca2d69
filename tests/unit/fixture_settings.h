#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "core/io/safetensors.h"
#include "core/model/architecture.h"
#include "core/session/names.h"

namespace headscope {

/// Reads the header of a fixture: its architecture and how it was computed. The file must outlive this
/// object.
class FixtureSettings {
 public:
  explicit FixtureSettings(const Safetensors& file) : settings_(file.metadata) {}

  bool has(const std::string& name) const { return settings_.contains(name); }
  const std::string& text(const std::string& name) const { return settings_.at(name); }
  int number(const std::string& name) const { return std::stoi(text(name)); }
  template <class Enum>
  Enum choice(const std::string& name) const {
    const auto found = std::ranges::find(names_of<Enum>, text(name));
    return static_cast<Enum>(found - names_of<Enum>.begin());
  }
  /// A setting that a case stores only if it differs from `usual`.
  template <class Value>
  Value value(const std::string& name, Value usual) const {
    if (!has(name)) return usual;
    if constexpr (std::is_enum_v<Value>) {
      return choice<Value>(name);
    } else {
      return static_cast<Value>(std::stod(text(name)));
    }
  }

  /// Leaves out the biases of attention and the final linear layer, which each kind of fixture stores in its
  /// own way.
  Architecture architecture() const {
    Architecture a;
    a.stacks = choice<Stacks>("stacks");
    a.n_layers = number("n_layers");
    a.d_model = number("d_model");
    a.n_heads = number("n_heads");
    if (has("n_kv_heads")) a.n_kv_heads = number("n_kv_heads");
    if (has("kv_latent")) a.kv_latent = number("kv_latent");
    a.d_head = number("d_head");
    a.d_value = number("d_value");
    a.d_ff = number("d_ff");
    a.activation = choice<Activation>("activation");
    a.norm = choice<Norm>("norm");
    a.norm_kind = value("norm_kind", a.norm_kind);
    a.norm_epsilon = value("norm_epsilon", a.norm_epsilon);
    a.residual = number("residual") != 0;
    a.positions = choice<Positions>("positions");
    a.score_scale = value("score_scale", a.score_scale);
    a.softcap = value("softcap", a.softcap);
    a.logit_softcap = value("logit_softcap", a.logit_softcap);
    a.linear_attention = value("linear_attention", a.linear_attention);
    a.sinks = value("sinks", a.sinks);
    a.qk_norm = value("qk_norm", a.qk_norm);
    a.output_gate = value("output_gate", a.output_gate);
    a.gated = value("gated", a.gated);
    a.bias.feed_forward = value("feed_forward_bias", a.bias.feed_forward);
    a.block = value("block", a.block);
    a.rotary = {value("rotary_base", a.rotary.base),
                value("rotary_fraction", a.rotary.fraction),
                value("rotary_pairing", a.rotary.pairing),
                value("rotary_scaling", a.rotary.scaling),
                value("rotary_factor", a.rotary.factor),
                value("rotary_original_length", a.rotary.original_length),
                value("rotary_local_base", a.rotary.local_base),
                {}};
    if (const int buckets = value("relative_buckets", 0); buckets > 0) a.relative_buckets = buckets;
    if (const int window = value("sliding_window", 0); window > 0) a.sliding_window = window;
    if (const int every = value("global_every", 0); every > 0) a.global_every = every;
    return a;
  }

 private:
  const TensorMetadata& settings_;
};

}  // namespace headscope
