#include "core/model/experts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/tensor/descending.h"
#include "core/tensor/vector_ops.h"

namespace headscope {
namespace {

/// The tokens that have a share in an expert.
std::vector<int> tokens_of(const MatrixView& shares, int expert) {
  std::vector<int> tokens;
  for (int token = 0; token < shares.rows; ++token)
    if (shares(token, expert) != 0.0F) tokens.push_back(token);
  return tokens;
}

/// Columns of some rows, one row after another.
Matrix gathered(const MatrixView& x, const std::vector<int>& rows, int first, int n) {
  Matrix some(static_cast<Eigen::Index>(rows.size()), n);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(x.row(rows[i]).data() + first, n, &some(static_cast<Eigen::Index>(i), 0));
  return some;
}

/// The layer of one expert. Only models whose weights are in memory have no layers for them.
Linear layer_of(const Experts& experts, int expert, const Linear& linear, bool has_rows) {
  if (!linear.parts.empty()) return linear.parts[static_cast<std::size_t>(expert)];
  const int first = experts.first_of(expert), n = experts.width_of(expert);
  if (has_rows) return {linear.weight().middleRows(first, n), RowVector::Zero(linear.n_out())};
  return {linear.columns(first, n), linear.bias.segment(first, n)};
}

/// The experts with the largest logits, by descending logit.
std::vector<int> taken_by(const Experts& experts, const float* logits) {
  std::vector<int> order(static_cast<std::size_t>(experts.count));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, Descending{}, [logits](int expert) { return logits[expert]; });
  order.resize(static_cast<std::size_t>(experts.taken));
  return order;
}

}  // namespace

void route(const Experts& experts, const MatrixView& logits, const float* shared, float* out) {
  for (int token = 0; token < logits.rows; ++token, out += experts.all()) {
    const float* const row = logits.row(token).data();
    const std::vector<int> taken = taken_by(experts, row);
    const auto largest = static_cast<double>(row[taken.front()]);
    double sum = 0.0;
    for (int expert = 0; expert < experts.count; ++expert) {
      const bool counts = !experts.renormalised || std::ranges::find(taken, expert) != taken.end();
      if (counts) sum += std::exp(static_cast<double>(row[expert]) - largest);
    }
    std::fill_n(out, experts.all(), 0.0F);
    for (const int expert : taken)
      out[expert] = static_cast<float>(std::exp(static_cast<double>(row[expert]) - largest) / sum);
    if (shared != nullptr) out[experts.count] = shared[token];
  }
}

void multiply_into_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x,
                           const Linear& linear, float* out, TaskPool& pool) {
  const int width = experts.hidden();
  std::fill_n(out, std::ptrdiff_t{x.rows} * width, 0.0F);
  for (int expert = 0; expert < experts.all(); ++expert) {
    const std::vector<int> tokens = tokens_of(shares, expert);
    if (tokens.empty()) continue;
    const int n = experts.width_of(expert);
    const Matrix read = gathered(x, tokens, 0, x.cols);
    Matrix made(read.rows(), n);
    multiply(view_of(read), layer_of(experts, expert, linear, false), made.data(), pool);
    for (std::size_t i = 0; i < tokens.size(); ++i)
      std::copy_n(&made(static_cast<Eigen::Index>(i), 0), n,
                  out + std::ptrdiff_t{tokens[i]} * width + experts.first_of(expert));
  }
}

void weigh_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x, float* out) {
  for (int token = 0; token < x.rows; ++token) {
    for (int i = 0; i < x.cols; ++i) *out++ = x(token, i) * shares(token, experts.expert_of(i));
  }
}

void multiply_from_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x,
                           const Linear& linear, float* out, TaskPool& pool) {
  const int width = linear.n_out();
  for (int token = 0; token < x.rows; ++token)
    std::copy_n(linear.bias.data(), width, out + std::ptrdiff_t{token} * width);
  for (int expert = 0; expert < experts.all(); ++expert) {
    const std::vector<int> tokens = tokens_of(shares, expert);
    if (tokens.empty()) continue;
    const Matrix read = gathered(x, tokens, experts.first_of(expert), experts.width_of(expert));
    Matrix made(read.rows(), width);
    multiply(view_of(read), layer_of(experts, expert, linear, true), made.data(), pool);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      float* const sum = out + std::ptrdiff_t{tokens[i]} * width;
      add(sum, &made(static_cast<Eigen::Index>(i), 0), static_cast<std::size_t>(width), sum);
    }
  }
}

}  // namespace headscope
