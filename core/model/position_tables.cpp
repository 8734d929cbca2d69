#include "core/model/position_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/model/positions.h"
#include "core/tensor/packed_product.h"

namespace headscope {
namespace {

Eigen::Map<Matrix> writable(OwnedMatrix& matrix) {
  return {matrix.values.data(), matrix.rows, matrix.cols};
}

}  // namespace

OwnedMatrix wave_table(Positions kind, int n_positions, int width) {
  OwnedMatrix table(n_positions, width);
  if (kind == Positions::split) {
    split_positions(writable(table));
  } else {
    sinusoidal_positions(writable(table));
  }
  return table;
}

OwnedMatrix rotary_angles(int n_positions, const RotaryTurns& turns) {
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

OwnedMatrix rotary_products(int n_positions, const RotaryTurns& turns) {
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
