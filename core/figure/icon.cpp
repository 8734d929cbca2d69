#include "core/figure/icon.h"

#include <algorithm>
#include <numeric>

#include "core/figure/colormap.h"

namespace headscope {
namespace {

constexpr int cells = 4;
/// The brightness of each cell from 0 to 1. Cells above the diagonal are not drawn.
constexpr float brightness[cells][cells] = {
    {0.75F, 0, 0, 0}, {0.35F, 0.6F, 0, 0}, {0.2F, 0.3F, 0.5F, 0}, {0.15F, 1.0F, 0.25F, 0.4F}};

constexpr int strip_width = std::accumulate(icon_sizes.begin(), icon_sizes.end(), 0);
constexpr int strip_height = *std::ranges::max_element(icon_sizes);
constexpr Color clear{0, 0, 0, 0};

void add_icon(int size, int left, Figure& figure) {
  const auto whole = static_cast<float>(size);
  add_box(figure, {static_cast<float>(left), 0, whole, whole}, {27, 30, 38, 255}, whole * 0.2F);
  // Whole pixels keep small sizes sharp.
  const int gap = (size + 8) / 32;
  const int cell = (size - 2 * (size / 7) - (cells - 1) * gap) / cells;
  const int margin = (size - cells * cell - (cells - 1) * gap) / 2;
  const ColorMap& map = color_map(SequentialMap::headscope, ThemeName::dark);
  for (int row = 0; row < cells; ++row) {
    for (int column = 0; column <= row; ++column) {
      const Box box{static_cast<float>(left + margin + column * (cell + gap)),
                    static_cast<float>(margin + row * (cell + gap)), static_cast<float>(cell),
                    static_cast<float>(cell)};
      add_box(figure, box, sample(map, brightness[row][column]), static_cast<float>(cell) * 0.15F);
    }
  }
}

}  // namespace

Figure icon_figure(int size) {
  Figure figure{static_cast<float>(size), static_cast<float>(size), clear, {}};
  add_icon(size, 0, figure);
  return figure;
}

Figure icon_strip() {
  Figure figure{static_cast<float>(strip_width), static_cast<float>(strip_height), clear, {}};
  int left = 0;
  for (const int size : icon_sizes) {
    add_icon(size, left, figure);
    left += size;
  }
  return figure;
}

std::vector<Image> split_icons(const Image& strip) {
  std::vector<Image> icons;
  if (strip.width != strip_width || strip.height != strip_height) return icons;
  std::ptrdiff_t left = 0;
  for (const int size : icon_sizes) {
    Image icon{size, size, {}};
    for (int y = 0; y < size; ++y) {
      const auto row = strip.pixels.begin() + static_cast<std::ptrdiff_t>(y) * strip.width + left;
      icon.pixels.insert(icon.pixels.end(), row, row + size);
    }
    icons.push_back(std::move(icon));
    left += size;
  }
  return icons;
}

}  // namespace headscope
