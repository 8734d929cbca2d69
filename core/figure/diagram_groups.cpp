#include "core/figure/diagram_groups.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headscope {
namespace {

constexpr float group_bar = 2.0F;
constexpr float group_bar_gap = 1.0F;  ///< Between the bar and the heads.

}  // namespace

std::vector<Box> boxes_in_rows(int n, int in_row, float middle, float top, const BoxSize& size) {
  const auto columns = static_cast<float>(std::min(n, in_row));
  const float left = middle - (columns * (size.width + head_gap) - head_gap) / 2.0F;
  std::vector<Box> places;
  places.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const int row = i / in_row;
    const int column = i % in_row;
    places.push_back({left + static_cast<float>(column) * (size.width + head_gap),
                      top + static_cast<float>(row) * (size.height + head_gap), size.width, size.height});
  }
  return places;
}

Label centered_label(std::string text, Point at, float size, Font font) {
  Label label;
  label.text = std::move(text);
  label.at = at;
  label.size = size;
  label.font = font;
  label.horizontal = HorizontalAnchor::center;
  return label;
}

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
