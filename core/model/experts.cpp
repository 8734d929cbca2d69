#include "core/model/experts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/tensor/descending.h"
#include "core/tensor/elementwise.h"

namespace headscope {
namespace {

/// The tokens that use an expert.
std::vector<int> tokens_of(const MatrixView& shares, int expert) {
  std::vector<int> tokens;
  for (int token = 0; token < shares.rows; ++token)
    if (shares(token, expert) != 0.0F) tokens.push_back(token);
  return tokens;
}

/// Gathers columns of some rows.
Matrix gathered(const MatrixView& x, const std::vector<int>& rows, int first, int n) {
  Matrix some(static_cast<Eigen::Index>(rows.size()), n);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(x.row(rows[i]).data() + first, n, &some(static_cast<Eigen::Index>(i), 0));
  return some;
}

/// The layer of one expert without a bias. Models whose weights are in memory have no separate layers for
/// experts.
Linear layer_of(const Experts& experts, int expert, const Linear& linear, bool has_rows) {
  if (!linear.parts.empty()) return linear.parts[static_cast<std::size_t>(expert)];
  const int first = experts.first_of(expert), n = experts.width_of(expert);
  if (has_rows) return {linear.weight().middleRows(first, n), RowVector::Zero(linear.n_out())};
  return {linear.columns(first, n), RowVector::Zero(n)};
}

/// The indices of the largest numbers, in descending order.
std::vector<int> best_of(const std::vector<double>& numbers, int n) {
  std::vector<int> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, Descending{},
                           [&](int at) { return numbers[static_cast<std::size_t>(at)]; });
  order.resize(static_cast<std::size_t>(n));
  return order;
}

/// The score by which experts are chosen: the logit, or σ of it, plus the correction.
std::vector<double> choice_scores(const Experts& experts, const float* logits, const RowVector& correction) {
  std::vector<double> scores(logits, logits + experts.count);
  if (experts.uses_sigmoid)
    std::ranges::transform(scores, scores.begin(), [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
  for (Eigen::Index i = 0; i < correction.size(); ++i)
    scores[static_cast<std::size_t>(i)] += static_cast<double>(correction[i]);
  return scores;
}

/// The active experts of a token, by descending score.
std::vector<int> taken_by(const Experts& experts, std::vector<double> scores) {
  const auto size = static_cast<std::ptrdiff_t>(experts.count / experts.groups);
  if (experts.groups > 1) {
    std::vector<double> of_groups;
    for (auto first = scores.begin(); first != scores.end(); first += size) {
      const std::vector<double> group(first, first + size);
      const std::vector<int> best = best_of(group, experts.has_correction && size > 1 ? 2 : 1);
      double sum = 0.0;
      for (const int at : best) sum += group[static_cast<std::size_t>(at)];
      of_groups.push_back(sum);
    }
    const std::vector<int> kept = best_of(of_groups, experts.top_groups);
    for (int group = 0; group < experts.groups; ++group) {
      if (std::ranges::find(kept, group) != kept.end()) continue;
      std::fill_n(scores.begin() + group * size, size, -std::numeric_limits<double>::infinity());
    }
  }
  return best_of(scores, experts.top_k);
}

}  // namespace

double share_score(const Experts& experts, float logit, float largest) {
  const auto x = static_cast<double>(logit);
  return experts.uses_sigmoid ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x - static_cast<double>(largest));
}

void route(const Experts& experts, const MatrixView& logits, const float* shared, const RowVector& correction,
           const RowVector& factors, float* out) {
  for (int token = 0; token < logits.rows; ++token, out += experts.all()) {
    const float* const row = logits.row(token).data();
    const std::vector<int> top_k = taken_by(experts, choice_scores(experts, row, correction));
    const float largest = *std::max_element(row, row + experts.count);
    double sum = 0.0;
    for (int expert = 0; expert < experts.count; ++expert) {
      const bool counts = !experts.renormalizes || std::ranges::find(top_k, expert) != top_k.end();
      if (counts) sum += share_score(experts, row[expert], largest);
    }
    if (experts.uses_sigmoid && !experts.renormalizes) sum = 1.0;
    std::fill_n(out, experts.all(), 0.0F);
    for (const int expert : top_k)
      out[expert] = static_cast<float>(static_cast<double>(experts.factor) *
                                       share_score(experts, row[expert], largest) / sum);
    for (Eigen::Index i = 0; i < factors.size(); ++i) out[i] *= factors[i];
    if (experts.shared_width > 0) out[experts.count] = shared != nullptr ? shared[token] : 1.0F;
  }
}

void multiply_into_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x,
                           const Linear& linear, float* out, ThreadPool& pool) {
  const int width = experts.hidden();
  std::fill_n(out, std::ptrdiff_t{x.rows} * width, 0.0F);
  for (int expert = 0; expert < experts.all(); ++expert) {
    const std::vector<int> tokens = tokens_of(shares, expert);
    if (tokens.empty()) continue;
    const int n = experts.width_of(expert);
    const Matrix read = gathered(x, tokens, 0, x.cols);
    Matrix made(read.rows(), n);
    multiply(view_of(read), layer_of(experts, expert, linear, false), made.data(), pool);
    made.rowwise() += linear.bias.segment(experts.first_of(expert), n);
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
                           const Linear& linear, const Matrix& biases, float* out, ThreadPool& pool) {
  const int width = linear.n_out();
  for (int token = 0; token < x.rows; ++token) {
    Eigen::Map<RowVector> sum(out + std::ptrdiff_t{token} * width, width);
    sum = linear.bias;
    for (Eigen::Index expert = 0; expert < biases.rows(); ++expert) {
      const float share = shares(token, static_cast<int>(expert));
      if (share != 0.0F) sum += share * biases.row(expert);
    }
  }
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
