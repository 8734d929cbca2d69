#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/model/positions.h"
#include "core/tensor/layer_norm.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

struct NormKinds {
  StageKind gain, bias;
};

NormKinds kinds_of_norm(StageKind result) {
  switch (result) {
    case StageKind::feed_forward_norm:
    case StageKind::feed_forward_normed:
      return {StageKind::feed_forward_norm_gain, StageKind::feed_forward_norm_bias};
    case StageKind::stack_output:
      return {StageKind::final_norm_gain, StageKind::final_norm_bias};
    default:
      return {StageKind::norm_gain, StageKind::norm_bias};
  }
}

struct Moments {
  double mean = 0.0;
  double variance = 0.0;  ///< population
};

Moments moments_of(std::span<const float> row) {
  Moments moments;
  for (const float x : row) moments.mean += static_cast<double>(x);
  moments.mean /= static_cast<double>(row.size());
  for (const float x : row) {
    const double offset = static_cast<double>(x) - moments.mean;
    moments.variance += offset * offset;
  }
  moments.variance /= static_cast<double>(row.size());
  return moments;
}

}  // namespace

void derive_norm(Derivation& d) {
  const StageId from = inputs_of(d.trace, d.id).front();
  const auto row = d.trace.value(from).row(d.row);
  const auto [gain_kind, bias_kind] = kinds_of_norm(d.id.kind);
  const Moments moments = moments_of(row);
  const double x = row[static_cast<std::size_t>(d.col)];
  const double gain = d.view(gain_kind)(0, d.col);
  const double bias = d.view(bias_kind)(0, d.col);
  d.add_strip({"x " + d.quoted(d.row), {row.begin(), row.end()}, {}});
  d.add_source(from, d.row, std::nullopt);
  d.add_source(gain_kind, 0, d.col);
  d.add_source(bias_kind, 0, d.col);
  d.add_step("x[" + std::to_string(d.col) + "]", x);
  d.add_step("mean of the row", moments.mean);
  d.add_step("variance of the row", moments.variance, "divided by n, not n − 1");
  const double unit =
      (x - moments.mean) / std::sqrt(moments.variance + static_cast<double>(layer_norm_epsilon));
  d.add_step("(x − mean) / √(variance + ε)", unit, "ε = 0.00001 keeps the root from being 0");
  d.add_step("γ", gain);
  d.add_step("β", bias);
  d.add_step("LayerNorm(x) = that × γ + β", unit * gain + bias);
}

void derive_residual(Derivation& d) {
  const std::vector<StageId> parts = inputs_of(d.trace, d.id);
  double sum = 0.0;
  for (const StageId& part : parts) {
    const double value = d.trace.value(part)(d.row, d.col);
    d.add_source(part, d.row, d.col);
    d.add_step(path(part), value);
    sum += value;
  }
  d.add_step(std::string(info(d.id.kind).symbol), sum, "the input of the sublayer plus its output");
}

void derive_activated(Derivation& d) {
  const double x = d.view(StageKind::hidden)(d.row, d.col);
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

void derive_probabilities(Derivation& d) {
  const std::vector<float> logits = d.row_of(StageKind::logits, d.row);
  const double maximum = *std::max_element(logits.begin(), logits.end());
  std::vector<float> exponents;
  double sum = 0.0;
  for (const float logit : logits) {
    const double exponent = std::exp(static_cast<double>(logit) - maximum);
    exponents.push_back(static_cast<float>(exponent));
    sum += exponent;
  }
  const double own = std::exp(static_cast<double>(logits[static_cast<std::size_t>(d.col)]) - maximum);
  const std::vector<std::string>& words = d.trace.vocabulary();
  d.add_strip({"logits of " + d.quoted(d.row), logits, words});
  d.add_strip({"exp(logit − row maximum)", std::move(exponents), words});
  d.add_source(StageKind::logits, d.row, std::nullopt);
  d.add_step("row maximum", maximum);
  d.add_step("exp(logit − row maximum)", own);
  d.add_step("Σ over words", sum);
  d.add_step("probability = exp / Σ over words", own / sum);
}

void derive_rotated(Derivation& d) {
  const bool is_query = d.id.kind == StageKind::rotated_query;
  const StageKind origin = is_query ? StageKind::query : StageKind::key;
  const int pair = d.col / 2;
  const double angle = rotary_angle(d.row, pair, d.trace.architecture().head_width());
  const double first = d.view(origin)(d.row, 2 * pair);
  const double second = d.view(origin)(d.row, 2 * pair + 1);
  const std::string name = is_query ? "q" : "k";
  const std::string i = "[" + std::to_string(2 * pair) + "]";
  const std::string j = "[" + std::to_string(2 * pair + 1) + "]";
  d.add_source(origin, d.row, 2 * pair);
  d.add_source(origin, d.row, 2 * pair + 1);
  d.add_step(name + i, first);
  d.add_step(name + j, second);
  d.add_step("angle = position / 10000^(" + std::to_string(2 * pair) + "/d_head)", angle,
             "the pair is rotated by it");
  if (d.col % 2 == 0) {
    d.add_step(name + i + " cos − " + name + j + " sin", first * std::cos(angle) - second * std::sin(angle));
  } else {
    d.add_step(name + i + " sin + " + name + j + " cos", first * std::sin(angle) + second * std::cos(angle));
  }
}

}  // namespace headscope
