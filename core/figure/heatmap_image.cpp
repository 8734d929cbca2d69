#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

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

/// The value of greatest magnitude (signed) or the greatest (else); NaN where none is finite.
float strongest(std::span<const float> values, bool is_signed) {
  float best = std::numeric_limits<float>::quiet_NaN();
  float best_magnitude = -std::numeric_limits<float>::infinity();
  for (const float value : values) {
    const float magnitude = is_signed ? std::abs(value) : value;
    if (!(magnitude > best_magnitude) || !(magnitude <= std::numeric_limits<float>::max())) continue;
    best = value;
    best_magnitude = magnitude;
  }
  return best;
}

/// The colour of the strongest cell of a block; under a range per row, of the one strongest in its row's
/// range.
Color strongest_color(const HeatmapSpec& spec, Span rows, Span cols) {
  const ColorScale& scale = spec.scale;
  std::optional<float> best_share;
  float best_strength = -1.0F;
  for (int row = rows.begin; row < rows.end; ++row) {
    const auto values = spec.values.row(row).subspan(static_cast<std::size_t>(cols.begin),
                                                     static_cast<std::size_t>(cols.end - cols.begin));
    const std::optional<float> share = scale.share(strongest(values, scale.is_signed()), row);
    if (!share) continue;
    const float strength = scale.is_signed() ? std::abs(*share - 0.5F) : *share;
    if (strength <= best_strength) continue;
    best_strength = strength;
    best_share = share;
  }
  return best_share ? scale.color_at(*best_share) : no_color;
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
        image->pixels.push_back(strongest_color(spec, rows, cols));
      } else {
        image->pixels.push_back(
            spec.scale.color(spec.values(rows.begin, cols.begin), rows.begin).value_or(no_color));
      }
    }
  }
  return image;
}

}  // namespace headscope
