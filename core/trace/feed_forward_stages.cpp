#include "core/trace/feed_forward_stages.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/trace/derivation.h"

namespace headscope::stages {
namespace {

void derive_relu(Derivation& d, double x) {
  d.add_step("ReLU(F) = max(F, 0)", std::max(x, 0.0), x > 0.0 ? "" : "negative, so nothing passes");
}

void derive_gelu(Derivation& d, double x) {
  const double share = 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2));
  d.add_step("Φ(F)", share, "the share of the standard normal distribution below F");
  d.add_step("GELU(F) = F × Φ(F)", x * share);
}

void derive_gelu_tanh(Derivation& d, double x) {
  const double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  d.add_step("u = √(2/π) (F + 0.044715 F³)", inner);
  d.add_step("½ (1 + tanh u)", 0.5 * (1.0 + std::tanh(inner)), "close to the share of N(0, 1) below F");
  d.add_step("GELU(F) ≈ F × ½ (1 + tanh u)", 0.5 * x * (1.0 + std::tanh(inner)));
}

void derive_silu(Derivation& d, double x) {
  const double share = 1.0 / (1.0 + std::exp(-x));
  d.add_step("σ(F) = 1 / (1 + e^−F)", share, "the logistic function, between 0 and 1");
  d.add_step("SiLU(F) = F × σ(F)", x * share);
}

/// The name that Shazeer 2020 gives to a gated layer with this activation.
std::string gate_name(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "ReGLU";
    case Activation::gelu:
      return "GEGLU";
    case Activation::gelu_tanh:
      return "GEGLU, by tanh";
    case Activation::silu:
      return "SwiGLU";
  }
  return {};
}

}  // namespace

Absence feed_forward_gate_is_absent(const PassTraits& pass, const StageId& id) {
  const Absence layer = feed_forward_is_absent(pass, id);
  return layer != Absence::none ? layer : unless(pass.architecture.gated, Absence::not_gated);
}

std::string hidden_formula(const Trace& trace, const StageId& id) {
  return linear_formula(trace, id, "x W_1", b_1);
}

std::string activation_formula(const Trace& trace, const StageId& /*id*/) {
  switch (trace.architecture().activation) {
    case Activation::relu:
      return "ReLU(F)";
    case Activation::gelu:
      return "GELU(F) = F · Φ(F)";
    case Activation::gelu_tanh:
      return "GELU(F) ≈ F · ½ (1 + tanh(√(2/π) (F + 0.044715 F³)))";
    case Activation::silu:
      return "SiLU(F) = F · σ(F)";
  }
  return {};
}

std::string up_formula(const Trace& trace, const StageId& id) {
  return linear_formula(trace, id, "x W_up", b_up);
}

std::string gated_formula(const Trace& trace, const StageId& /*id*/) {
  return "F′ ⊙ U (" + gate_name(trace.architecture().activation) + ")";
}

std::string feed_forward_output_formula(const Trace& trace, const StageId& id) {
  return linear_formula(trace, id, trace.architecture().gated ? "G W_2" : "F′ W_2", b_2);
}

std::string feed_forward_normed_formula(const Trace& trace, const StageId& id) {
  return norm_formula(trace, id, feed_forward_residual, feed_forward_output);
}

void derive_feed_forward_norm(Derivation& d) {
  derive_norm(d, feed_forward_norm_gain, feed_forward_norm_bias);
}

void derive_hidden(Derivation& d) {
  derive_linear(d, {hidden_from(d.trace, d.id), w_1, b_1, "x"});
}

void derive_activated(Derivation& d) {
  derive_activation(d, StageKind::hidden);
}

void derive_activation(Derivation& d, StageKind from) {
  const double x = d.number(from, d.row, d.col);
  d.add_source(from, d.row, d.col);
  d.add_cell("F", from, d.row, d.col);
  switch (d.trace.architecture().activation) {
    case Activation::relu:
      return derive_relu(d, x);
    case Activation::gelu:
      return derive_gelu(d, x);
    case Activation::gelu_tanh:
      return derive_gelu_tanh(d, x);
    case Activation::silu:
      return derive_silu(d, x);
  }
}

void derive_up(Derivation& d) {
  derive_linear(d, {hidden_from(d.trace, d.id), w_up, b_up, "x"});
}

void derive_gated(Derivation& d) {
  const double gate = d.number(StageKind::activated, d.row, d.col);
  const double number = d.number(StageKind::up, d.row, d.col);
  d.add_source(StageKind::activated, d.row, d.col);
  d.add_source(StageKind::up, d.row, d.col);
  d.add_cell("F′, the gate", StageKind::activated, d.row, d.col);
  d.add_cell("U", StageKind::up, d.row, d.col);
  d.add_step("G = F′ × U", gate * number);
}

void derive_feed_forward_output(Derivation& d) {
  const bool is_gated = d.trace.architecture().gated;
  derive_linear(d, {d.sibling(is_gated ? feed_forward_gated : activated), w_2, b_2, is_gated ? "G" : "F′"});
}

}  // namespace headscope::stages
