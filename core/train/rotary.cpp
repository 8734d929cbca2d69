#include "core/train/rotary.h"

#include <algorithm>
#include <cmath>

namespace headscope {

template <class Scalar>
const typename RotaryTables<Scalar>::Table& RotaryTables<Scalar>::of(const HeadPlan& plan, int n_positions) {
  auto table = std::ranges::find(tables_, plan.rotary, &Table::rotary);
  if (table == tables_.end()) {
    tables_.push_back({plan.rotary,
                       rotary_frequencies(plan.rotary, plan.architecture.head_width(),
                                          plan.architecture.kv_latent.has_value()),
                       {}});
    table = tables_.end() - 1;
  }
  RowMatrix<Scalar>& numbers = table->numbers;
  if (numbers.rows() >= n_positions) return *table;
  const RotaryFrequencies& turns = table->turns;
  const auto amplitude = static_cast<Scalar>(turns.amplitude);
  numbers.resize(n_positions, 2 * turns.n_pairs());
  for (int position = 0; position < n_positions; ++position) {
    for (int pair = 0; pair < turns.n_pairs(); ++pair) {
      const auto angle = static_cast<Scalar>(turns.angle(position, pair));
      numbers.row(position)[pair] = amplitude * std::cos(angle);
      numbers.row(position)[turns.n_pairs() + pair] = amplitude * std::sin(angle);
    }
  }
  return *table;
}

template <class Scalar>
void apply_rotary(const HeadPlan& plan, const Sequences& sequences, RotaryTables<Scalar>& tables,
                  RowMatrix<Scalar>& rows, Scalar direction) {
  if (!plan.has_positions || !plan.architecture.uses_rotary() || rows.rows() == 0) return;
  const int width = plan.architecture.head_width();
  const auto& [rotary, turns, numbers] = tables.of(plan, std::ranges::max(sequences.position) + 1);
  for (int r = 0; r < rows.rows(); ++r) {
    const Scalar* cosines = numbers.row(sequences.position[static_cast<std::size_t>(r)]);
    const Scalar* sines = cosines + turns.n_pairs();
    for (int column = 0; column < rows.cols(); column += width) {
      Scalar* at = rows.row(r) + column;
      for (int pair = 0; pair < turns.n_pairs(); ++pair) {
        const auto [one, other] = turns.dimensions(pair);
        const Scalar sine = direction * sines[pair];
        const Scalar first = at[one];
        const Scalar second = at[other];
        at[one] = first * cosines[pair] - second * sine;
        at[other] = first * sine + second * cosines[pair];
      }
    }
  }
}

template class RotaryTables<float>;
template class RotaryTables<double>;
template void apply_rotary(const HeadPlan&, const Sequences&, RotaryTables<float>&, RowMatrix<float>&, float);
template void apply_rotary(const HeadPlan&, const Sequences&, RotaryTables<double>&, RowMatrix<double>&,
                           double);

}  // namespace headscope
