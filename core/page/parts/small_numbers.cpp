#include "core/page/parts/small_numbers.h"

#include <algorithm>
#include <cmath>

namespace headscope {

bool are_worth_computing(const SmallNumbers& numbers) {
  constexpr float max_score = 3.0F, min_spread = 0.3F, max_weight = 0.95F;
  const Matrix query = numbers.input * numbers.w_query;
  const Matrix key = numbers.input * numbers.w_key;
  const Matrix value = numbers.input * numbers.w_value;
  const Matrix scores = query * key.transpose() / std::sqrt(static_cast<float>(query.cols()));
  if (scores.cwiseAbs().maxCoeff() > max_score) return false;
  for (Eigen::Index row = 0; row < scores.rows(); ++row) {
    const float most = scores.row(row).maxCoeff();
    const float sum = (scores.row(row).array() - most).exp().sum();  // In units of the largest exponential.
    if (most - scores.row(row).minCoeff() < min_spread || 1.0F > max_weight * sum) return false;
  }
  return value.cwiseAbs().colwise().maxCoeff().minCoeff() > 0.0F;
}

void draw_small_numbers(SmallNumbers& numbers, std::mt19937& generator) {
  constexpr int max_draws = 100'000;
  constexpr int smallest = -2;
  std::discrete_distribution<int> digit{2, 4, 4, 4, 2, 1};  // Small ones are more often small enough.
  for (int draw = 0; draw < max_draws; ++draw) {
    for (Matrix* each : {&numbers.input, &numbers.w_query, &numbers.w_key, &numbers.w_value})
      std::generate_n(each->data(), each->size(),
                      [&] { return static_cast<float>(smallest + digit(generator)); });
    if (are_worth_computing(numbers)) return;
  }
}

}  // namespace headscope
