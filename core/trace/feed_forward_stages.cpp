#include "core/trace/feed_forward_stages.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/trace/derivation.h"

namespace headscope::stages {

std::string activated_formula(const Trace& trace, const StageId& /*id*/) {
  return trace.architecture().activation == Activation::relu ? "ReLU(F)" : "GELU(F) = F · Φ(F)";
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
  const double x = d.number(StageKind::hidden, d.row, d.col);
  d.add_source(StageKind::hidden, d.row, d.col);
  d.add_step("F", x);
  if (d.trace.architecture().activation == Activation::relu) {
    d.add_step("ReLU(F) = max(F, 0)", std::max(x, 0.0), x > 0.0 ? "" : "negative, so nothing passes");
    return;
  }
  const double share = 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2));
  d.add_step("Φ(F)", share, "the part of the standard normal distribution below F");
  d.add_step("GELU(F) = F × Φ(F)", x * share);
}

void derive_feed_forward_output(Derivation& d) {
  derive_linear(d, {d.sibling(activated), w_2, b_2, "F′"});
}

}  // namespace headscope::stages
