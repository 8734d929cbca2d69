#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/enum_count.h"
#include "core/session/session.h"

namespace headscope {

/// What the controls of the architecture are made from, beside their records.
namespace control {

inline constexpr auto stacks = one_for_each<Stacks, std::string_view>("encoder", "decoder", "both", "cross");
inline constexpr auto norms = one_for_each<Norm, std::string_view>("none", "before", "after", "both");
inline constexpr auto norm_kinds = one_for_each<NormKind, std::string_view>("layer norm", "RMS norm");
inline constexpr auto blocks =
    one_for_each<Block, std::string_view>("after attention", "beside, own norm", "beside, one norm");
inline constexpr auto activations =
    one_for_each<Activation, std::string_view>("ReLU", "GELU", "GELU by tanh", "SiLU");
inline constexpr auto positions = one_for_each<Positions, std::string_view>(
    "none", "sinusoidal", "split halves", "learned", "rotary", "relative", "ALiBi");
inline constexpr auto pairings = one_for_each<RotaryPairing, std::string_view>("neighbours", "halves");
inline constexpr auto scalings =
    one_for_each<RotaryScaling, std::string_view>("none", "linear", "NTK-aware", "YaRN");
inline constexpr auto inits = one_for_each<Init, std::string_view>("N(0, 1)", "Xavier", "Scaled");

/// The same number in every session.
template <int value>
double number(const Session&) {
  return value;
}

inline double half_of_d_model(const Session& s) {
  return std::max(s.architecture.d_model / 2, 1);
}
inline double usual_scale(const Session& s) {
  const Architecture& a = s.architecture;
  return a.n_heads < 1 ? 1.0 : 1.0 / std::sqrt(static_cast<double>(std::max(a.head_width(), 1)));
}
inline double usual_d_ff(const Session& s) {
  constexpr int usual_factor = 4;
  return std::min(usual_factor * s.architecture.d_model, ArchitectureLimits::max_d_ff);
}
inline double usual_base(const Session&) {
  return static_cast<double>(Rotary{}.base);
}

inline int all_heads(const Session& s) {
  return s.architecture.n_heads;
}
inline int share_of_d_model(const Session& s) {
  return std::max(s.architecture.d_model / std::max(s.architecture.n_heads, 1), 1);
}
inline int width_of_queries(const Session& s) {
  return s.architecture.d_head.value_or(share_of_d_model(s));
}

inline std::string_view kv_heads_label(const Session& s) {
  if (!s.architecture.shares_keys()) return "key/value heads = heads";
  return s.architecture.kv_heads() == 1 ? "key/value heads (multi-query)" : "key/value heads (grouped)";
}
inline std::string_view d_head_label(const Session& s) {
  // With a remainder, only a width of its own helps.
  const Architecture& a = s.architecture;
  const bool follows = !a.d_head && a.n_heads > 0 && a.d_model % a.n_heads == 0;
  return follows ? "d_head = d_model / heads" : "d_head";
}
inline std::string_view d_value_label(const Session& s) {
  return s.architecture.d_value ? "d_value" : "d_value = d_head";
}

inline bool has_several_heads(const Session& s) {
  return s.architecture.n_heads > 1 || s.architecture.n_kv_heads;
}
inline bool is_scaled(const Session& s) {
  const Architecture& a = s.architecture;
  return (s.attention.scale && !a.linear_attention) || a.score_scale > 0.0F;
}
inline bool may_have_softcap(const Session& s) {
  return !s.architecture.linear_attention || s.architecture.softcap > 0.0F;
}
inline bool may_have_sinks(const Session& s) {
  return !s.architecture.linear_attention || s.architecture.sinks;
}
inline bool has_output_layer(const Session& s) {
  return s.architecture.output_layer != OutputLayer::none;
}
inline bool has_norm(const Session& s) {
  return s.architecture.norm != Norm::none;
}
inline bool has_feed_forward(const Session& s) {
  return s.architecture.d_ff > 0;
}
inline bool has_relative_positions(const Session& s) {
  return s.architecture.positions == Positions::relative;
}
inline bool has_rotary_positions(const Session& s) {
  return s.architecture.rotates();
}
inline bool scales_rotary(const Session& s) {
  return s.architecture.rotates() && s.architecture.rotary.scaling != RotaryScaling::none;
}
inline bool uses_yarn(const Session& s) {
  return s.architecture.rotates() && s.architecture.rotary.scaling == RotaryScaling::yarn;
}
inline bool rotates_locally(const Session& s) {
  return s.architecture.rotates() && s.architecture.sliding_window;
}
inline bool slides(const Session& s) {
  return s.architecture.sliding_window.has_value();
}

}  // namespace control

/// Linear attention leaves no place for what joins, sharpens or scales a softmax, for a latent, or for
/// positions that turn queries and keys or are added to scores.
inline void settle_linear_attention(Session& session) {
  Architecture& a = session.architecture;
  if (!a.linear_attention) return;
  a.sinks = false;
  a.softcap = 0.0F;
  a.score_scale = 0.0F;
  a.kv_latent.reset();
  if (a.rotates() || a.biases_positions()) a.positions = Positions::sinusoidal;
}

/// Of keys that turn as a whole nothing would come from the latent: half of them turn, or none where that
/// leaves no pair.
inline void settle_latent(Session& session) {
  Architecture& a = session.architecture;
  if (!a.kv_latent || a.n_heads < 1) return;
  if (a.own_key_width(AttentionKind::self) <= 0) a.rotary.fraction = 0.5F;
  if (a.rotates() && turned_width(a.rotary, a.head_width()) == 0) a.positions = Positions::sinusoidal;
}

/// A parallel block is a sum, which needs the residual connections and norms that let both read one row.
inline void settle_block(Session& session) {
  Architecture& a = session.architecture;
  if (!a.is_parallel()) return;
  a.residual = true;
  if (!a.norms_allow_parallel()) a.norm = Norm::pre;
}
inline void settle_residual(Session& session) {
  if (!session.architecture.residual) session.architecture.block = Block::sequential;
}
inline void settle_norm(Session& session) {
  if (!session.architecture.norms_allow_parallel()) session.architecture.block = Block::sequential;
}

}  // namespace headscope
