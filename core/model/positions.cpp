#include "core/model/positions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/model/rotary_turns.h"

namespace headscope {
namespace {

constexpr double wave_base = 10000.0;

void fill_waves(Positions kind, int first, MatrixOut out) {
  const int width = static_cast<int>(out.cols());
  for (int dim = 0; dim < width; ++dim) {
    const PositionWave wave = position_wave(kind, dim, width);
    for (Eigen::Index row = 0; row < out.rows(); ++row) {
      const double angle = static_cast<double>(first + row) / wave.divisor;
      out(row, dim) = static_cast<float>(wave.is_sine ? std::sin(angle) : std::cos(angle));
    }
  }
}

}  // namespace

PositionWave position_wave(Positions kind, int dimension, int d_model) {
  if (kind == Positions::split) {
    const int half = (d_model + 1) / 2;
    const int index = dimension % half;
    const double share = half > 1 ? static_cast<double>(index) / (half - 1) : 0.0;
    return {std::pow(wave_base, share), dimension < half};
  }
  const int pair = dimension / 2 * 2;
  return {std::pow(wave_base, static_cast<double>(pair) / d_model), dimension % 2 == 0};
}

void sinusoidal_positions(MatrixOut out,  // NOLINT(performance-unnecessary-value-param): a reference already
                          int first) {
  fill_waves(Positions::sinusoidal, first, out);
}

void split_positions(MatrixOut out, int first) {  // NOLINT(performance-unnecessary-value-param)
  fill_waves(Positions::split, first, out);
}

double alibi_slope(int head, int n_heads) {
  const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(n_heads)));
  if (head < power) return std::pow(2.0, -8.0 * (head + 1) / power);
  return std::pow(2.0, -8.0 * (2 * (head - power) + 1) / (2 * power));
}

double score_amplitude(const Architecture& a, AttentionKind kind, int layer) {
  const bool turns_latent = a.kv_latent && a.rotates() && kind == AttentionKind::self && !a.linear_attention;
  return turns_latent ? score_amplitude(a.rotary_of(layer)) : 1.0;
}

int relative_column(const Architecture& architecture, Stack stack, int distance) {
  if (!architecture.relative_buckets)
    return std::clamp(distance, -max_relative_distance, max_relative_distance) + max_relative_distance;
  const bool is_one_sided = stack == Stack::decoder;
  const int n = is_one_sided ? *architecture.relative_buckets : *architecture.relative_buckets / 2;
  const int first = !is_one_sided && distance > 0 ? n : 0;
  const int far = is_one_sided ? std::max(-distance, 0) : std::abs(distance);
  const int n_exact = n / 2;
  if (far < n_exact) return first + far;
  // In float32, because T5 rounds it in this way.
  const float share = std::log(static_cast<float>(far) / static_cast<float>(n_exact)) /
                      static_cast<float>(std::log(static_cast<double>(max_bucket_distance) / n_exact));
  return first + std::min(n_exact + static_cast<int>(share * static_cast<float>(n - n_exact)), n - 1);
}

std::vector<float> distance_biases(const Architecture& architecture, const Matrix& table, Stack stack,
                                   int head, int n_tokens) {
  std::vector<float> biases(static_cast<std::size_t>(2 * n_tokens - 1));
  const double slope = alibi_slope(head, architecture.n_heads);
  for (std::size_t i = 0; i < biases.size(); ++i) {
    const int distance = static_cast<int>(i) - (n_tokens - 1);
    if (architecture.positions == Positions::alibi) {
      biases[i] = static_cast<float>(-slope * std::abs(distance));
    } else {
      biases[i] = table(head, relative_column(architecture, stack, distance));
    }
  }
  return biases;
}

}  // namespace headscope
