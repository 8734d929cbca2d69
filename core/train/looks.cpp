#include <algorithm>
#include <cmath>
#include <limits>

#include "core/train/attention.h"

namespace headscope {

template <class Scalar>
void add_looks(const HeadPlan& plan, const HeadState<Scalar>& state, Score& score) {
  const Shard& teacher = *plan.teacher;
  const Sequences& sequences = teacher.asked();
  std::ptrdiff_t map = 0;  // The offset of the weights of the sequence's first head.
  for (int s = 0; s < sequences.count(); ++s) {
    const int n = sequences.length(s);
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(n) * padded(n);
    const int* looks = teacher.looks.data() + sequences.begin(s);
    for (int i = 0; i < n; ++i) {
      const int look = looks[i];
      if (look < 0 || plan.seen.slides_past(i, look)) continue;
      const Scalar* row =
          state.weights.data() + map + taught_head * size + static_cast<std::ptrdiff_t>(i) * padded(n);
      constexpr double least = std::numeric_limits<float>::min();
      const double cost = -std::log(std::max(static_cast<double>(row[look]), least));
      score.loss += teacher.look_weight * cost;
      score.cross_entropy[teacher.look_part] += cost;
      score.correct[teacher.look_part] += row[look] == *std::max_element(row, row + n) ? 1 : 0;
      ++score.rows[teacher.look_part];
    }
    map += size * plan.architecture.n_heads;
  }
}

template void add_looks(const HeadPlan&, const HeadState<float>&, Score&);
template void add_looks(const HeadPlan&, const HeadState<double>&, Score&);

}  // namespace headscope
