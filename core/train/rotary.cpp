#include "core/train/rotary.h"

#include <cmath>

#include "core/model/positions.h"

namespace headscope {

template <class Scalar>
void turn(const HeadPlan& plan, const Sequences& sequences, Rows<Scalar>& rows, Scalar direction) {
  if (!plan.has_positions || plan.architecture.positions != Positions::rotary) return;
  const int width = plan.architecture.head_width();
  for (int r = 0; r < rows.rows(); ++r) {
    const int position = sequences.position[static_cast<std::size_t>(r)];
    for (int pair = 0; pair < width / 2; ++pair) {
      const auto angle = direction * static_cast<Scalar>(rotary_angle(position, pair, width));
      const Scalar cosine = std::cos(angle);
      const Scalar sine = std::sin(angle);
      for (int column = 0; column < rows.cols(); column += width) {
        Scalar* at = rows.row(r) + column + 2 * pair;
        const Scalar first = at[0];
        at[0] = first * cosine - at[1] * sine;
        at[1] = first * sine + at[1] * cosine;
      }
    }
  }
}

template void turn(const HeadPlan&, const Sequences&, Rows<float>&, float);
template void turn(const HeadPlan&, const Sequences&, Rows<double>&, double);

}  // namespace headscope
