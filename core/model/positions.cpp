#include "core/model/positions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/tensor/packed_product.h"

namespace headscope {
namespace {

constexpr double wave_base = 10000.0;

}  // namespace

PositionWave position_wave(const Architecture& a, int dimension, int width) {
  const int half = (width + 1) / 2;
  const int index = dimension % half;
  const bool has_halves = a.positions == Positions::split || a.foreign.sines_first;
  PositionWave wave;
  wave.is_sine = has_halves ? dimension < half : dimension % 2 == 0;
  wave.numerator = a.positions == Positions::split ? index : has_halves ? 2 * index : dimension / 2 * 2;
  wave.denominator = a.positions == Positions::split ? std::max(half - 1, 1) : width;
  wave.divisor = std::pow(wave_base, static_cast<double>(wave.numerator) / wave.denominator);
  wave.first = a.foreign.first_position;
  return wave;
}

void wave_positions(const Architecture& a,
                    MatrixOut out,  // NOLINT(performance-unnecessary-value-param): a reference already
                    int first) {
  const int width = static_cast<int>(out.cols());
  for (int dim = 0; dim < width; ++dim) {
    const PositionWave wave = position_wave(a, dim, width);
    for (Eigen::Index row = 0; row < out.rows(); ++row) {
      const double angle = wave.angle(first + static_cast<int>(row));
      out(row, dim) = static_cast<float>(wave.is_sine ? std::sin(angle) : std::cos(angle));
    }
  }
}

std::vector<int> position_rows(const Architecture& a, std::span<const Token> tokens, int first) {
  std::vector<int> rows;
  int next = a.foreign.first_position + first;
  for (const Token& token : tokens)
    rows.push_back(token.id == a.foreign.padding_id ? a.foreign.first_position - 1 : next++);
  return rows;
}

double alibi_slope(const Architecture& a, int head) {
  const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(a.n_heads)));
  const double eighths =
      head < power ? double{1} * (head + 1) / power : (2.0 * (head - power) + 1) / (2 * power);
  return std::pow(2.0, -8.0 * eighths) * static_cast<double>(a.foreign.slope_factor);
}

double score_amplitude(const Architecture& a, AttentionKind kind, int layer) {
  const bool turns_latent =
      a.kv_latent && a.uses_rotary() && kind == AttentionKind::self && !a.linear_attention;
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
  // In float32, to round like T5.
  const float share = std::log(static_cast<float>(far) / static_cast<float>(n_exact)) /
                      static_cast<float>(std::log(static_cast<double>(max_bucket_distance) / n_exact));
  return first + std::min(n_exact + static_cast<int>(share * static_cast<float>(n - n_exact)), n - 1);
}

int disentangled_row(const Disentangled& positions, int distance) {
  const int span = positions.span(), middle = positions.buckets / 2;
  int far = std::abs(distance);
  if (positions.buckets > 0 && far > middle) {
    // In float32, to round like DeBERTa.
    const float share = std::log(static_cast<float>(far) / static_cast<float>(middle)) /
                        std::log(static_cast<float>((positions.max_distance - 1.0) / middle));
    far = middle + static_cast<int>(std::ceil(share * static_cast<float>(middle - 1)));
  }
  return std::clamp(span + (distance > 0 ? -far : far), 0, 2 * span - 1);
}

std::vector<float> distance_biases(const Architecture& architecture, const Matrix& table, Stack stack,
                                   int head, int n_tokens) {
  std::vector<float> biases(static_cast<std::size_t>(2 * n_tokens - 1));
  const double slope = alibi_slope(architecture, head);
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

OwnedMatrix wave_table(const Architecture& architecture, int n_positions, int width) {
  OwnedMatrix table(n_positions, width);
  wave_positions(architecture, Eigen::Map<Matrix>(table.values.data(), table.rows, table.cols));
  return table;
}

OwnedMatrix rotary_angles(int n_positions, const RotaryFrequencies& turns) {
  OwnedMatrix angles(n_positions, turns.n_pairs());
  for (int position = 0; position < angles.rows; ++position) {
    for (int pair = 0; pair < angles.cols; ++pair) {
      angles.at(position, pair) = static_cast<float>(turns.angle(position, pair));
    }
  }
  return angles;
}

OwnedMatrix bias_table(const Architecture& architecture, const MatrixView& relative, Stack stack,
                       int n_positions) {
  const Matrix learned = relative.empty() ? Matrix() : Matrix(eigen(relative));
  OwnedMatrix table(architecture.n_heads, 2 * n_positions - 1);
  for (int head = 0; head < table.rows; ++head) {
    const std::vector<float> biases = distance_biases(architecture, learned, stack, head, n_positions);
    std::ranges::copy(biases, &table.at(head, 0));
  }
  return table;
}

OwnedMatrix row_products(const MatrixView& rows) {
  OwnedMatrix products(rows.rows, rows.rows);
  PackedMatrix transposed;
  transposed.pack_transposed(rows);
  transposed.multiply(rows, nullptr, products.values.data(), products.cols);
  return products;
}

OwnedMatrix rotary_products(int n_positions, const RotaryFrequencies& turns) {
  std::vector<double> by_distance(static_cast<std::size_t>(n_positions), 0.0);
  for (int distance = 0; distance < n_positions; ++distance) {
    double& sum = by_distance[static_cast<std::size_t>(distance)];
    for (int pair = 0; pair < turns.n_pairs(); ++pair) sum += std::cos(turns.angle(distance, pair));
    sum *= turns.amplitude * turns.amplitude;
  }
  OwnedMatrix products(n_positions, n_positions);
  for (int s = 0; s < n_positions; ++s) {
    for (int t = 0; t < n_positions; ++t) {
      products.at(s, t) = static_cast<float>(by_distance[static_cast<std::size_t>(std::abs(s - t))]);
    }
  }
  return products;
}

}  // namespace headscope
