#include <algorithm>
#include <cmath>

#include "core/figure/heatmap.h"

namespace headscope {
namespace {

constexpr Color no_color{0, 0, 0, 0};

/// The cells that one pixel of a row or column of the image stands for.
struct Span {
  int begin, end;
};
Span cells_of(int pixel, int n_pixels, int n_cells) {
  const auto scaled = [=](int p) {
    return static_cast<int>(static_cast<std::int64_t>(p) * n_cells / n_pixels);
  };
  return {scaled(pixel), std::max(scaled(pixel) + 1, scaled(pixel + 1))};
}

/// The colour of the cell with the greatest magnitude of a block, relative to its row's range.
Color strongest(const HeatmapSpec& spec, Span rows, Span cols) {
  float best = 0.0F;
  double best_magnitude = -1.0;
  int best_row = 0;
  for (int row = rows.begin; row < rows.end; ++row) {
    const double high = spec.scale.high_of_row(row);
    const double factor = spec.scale.is_per_row() && high > 0.0 ? 1.0 / high : 1.0;
    const auto values = spec.values.row(row);
    for (int col = cols.begin; col < cols.end; ++col) {
      const float value = values[static_cast<std::size_t>(col)];
      if (!std::isfinite(value)) continue;
      const double magnitude = factor * (spec.scale.is_signed() ? std::abs(value) : std::max(value, 0.0F));
      if (magnitude <= best_magnitude) continue;
      best = value;
      best_magnitude = magnitude;
      best_row = row;
    }
  }
  return best_magnitude < 0.0 ? no_color : *spec.scale.color(best, best_row);
}

}  // namespace

std::shared_ptr<const Image> heatmap_image(const HeatmapSpec& spec, const HeatmapLayout& layout) {
  auto image = std::make_shared<Image>();
  if (layout.n_rows == 0 || layout.n_cols == 0) return image;
  const auto pixels = [](int n_cells, float length) {
    return std::min(n_cells, std::max(1, static_cast<int>(length)));
  };
  image->width = pixels(layout.n_cols, layout.cells.w);
  image->height = pixels(layout.n_rows, layout.cells.h);
  image->pixels.reserve(static_cast<std::size_t>(image->width) * static_cast<std::size_t>(image->height));
  const bool pooled = image->width < layout.n_cols || image->height < layout.n_rows;
  for (int y = 0; y < image->height; ++y) {
    Span rows = cells_of(y, image->height, layout.n_rows);
    rows = {rows.begin + layout.first_row, rows.end + layout.first_row};
    for (int x = 0; x < image->width; ++x) {
      Span cols = cells_of(x, image->width, layout.n_cols);
      cols = {cols.begin + layout.first_col, cols.end + layout.first_col};
      if (pooled) {
        image->pixels.push_back(strongest(spec, rows, cols));
      } else {
        image->pixels.push_back(
            spec.scale.color(spec.values(rows.begin, cols.begin), rows.begin).value_or(no_color));
      }
    }
  }
  return image;
}

}  // namespace headscope
