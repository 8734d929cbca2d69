#include <algorithm>
#include <cmath>
#include <limits>

#include "core/train/attention.h"

namespace headscope {

template <class Scalar>
void add_attention_loss(const HeadPlan& plan, const HeadActivations<Scalar>& state, Score& score) {
  const Shard& teacher = *plan.teacher;
  const Sequences& sequences = teacher.last_stack();
  std::ptrdiff_t map = 0;  // Offset of the weights of the first head
  for (int s = 0; s < sequences.count(); ++s) {
    const int n = sequences.length(s);
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(n) * padded(n);
    const int* attention_targets = teacher.attention_targets.data() + sequences.begin(s);
    for (int i = 0; i < n; ++i) {
      const int target_key = attention_targets[i];
      if (target_key < 0 || plan.visibility.is_outside_window(i, target_key)) continue;
      const Scalar* row =
          state.weights.data() + map + taught_head * size + static_cast<std::ptrdiff_t>(i) * padded(n);
      constexpr double min_weight = std::numeric_limits<float>::min();
      const double cost = -std::log(std::max(static_cast<double>(row[target_key]), min_weight));
      score.loss += teacher.attention_loss_weight * cost;
      score.cross_entropy[teacher.attention_loss_part] += cost;
      score.correct[teacher.attention_loss_part] +=
          row[target_key] == *std::max_element(row, row + n) ? 1 : 0;
      ++score.rows[teacher.attention_loss_part];
    }
    map += size * plan.architecture.n_heads;
  }
}

template void add_attention_loss(const HeadPlan&, const HeadActivations<float>&, Score&);
template void add_attention_loss(const HeadPlan&, const HeadActivations<double>&, Score&);

}  // namespace headscope
