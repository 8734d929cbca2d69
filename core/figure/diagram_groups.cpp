#include "core/figure/diagram_groups.h"

namespace headscope {
namespace {

constexpr float group_bar = 2.0F;
constexpr float group_bar_gap = 1.0F;  ///< between it and the heads

}  // namespace

void mark_groups(const Architecture& a, const std::vector<Box>& heads, int in_row, Diagram& diagram) {
  if (!a.shares_keys()) return;
  for (int head = 0; head < a.n_heads; ++head) {
    const Box& box = heads[static_cast<std::size_t>(head)];
    const Box bar{box.x, box.bottom() + group_bar_gap, box.w, group_bar};
    if (head % a.group_size() == 0 || head % in_row == 0) {
      diagram.groups.push_back(bar);
    } else {
      diagram.groups.back().w = bar.right() - diagram.groups.back().x;
    }
  }
}

}  // namespace headscope
