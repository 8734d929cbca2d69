#include "core/train/rotary.h"

#include <cmath>

#include "core/model/rotary.h"

namespace headscope {

template <class Scalar>
void turn(const HeadPlan& plan, const Sequences& sequences, Rows<Scalar>& rows, Scalar direction) {
  if (!plan.has_positions || !plan.architecture.rotates()) return;
  const int width = plan.architecture.head_width();
  const RotaryTurns turns = rotary_turns(plan.rotary, width, plan.architecture.kv_latent.has_value());
  const auto amplitude = static_cast<Scalar>(turns.amplitude);
  for (int r = 0; r < rows.rows(); ++r) {
    const int position = sequences.position[static_cast<std::size_t>(r)];
    for (int pair = 0; pair < turns.n_pairs(); ++pair) {
      const auto angle = direction * static_cast<Scalar>(turns.angle(position, pair));
      const Scalar cosine = amplitude * std::cos(angle);
      const Scalar sine = amplitude * std::sin(angle);
      const auto [one, other] = turns.dimensions(pair);
      for (int column = 0; column < rows.cols(); column += width) {
        Scalar* at = rows.row(r) + column;
        const Scalar first = at[one];
        const Scalar second = at[other];
        at[one] = first * cosine - second * sine;
        at[other] = first * sine + second * cosine;
      }
    }
  }
}

template void turn(const HeadPlan&, const Sequences&, Rows<float>&, float);
template void turn(const HeadPlan&, const Sequences&, Rows<double>&, double);

}  // namespace headscope
