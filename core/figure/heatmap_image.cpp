#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <tuple>
#include <utility>

#include "core/figure/heatmap.h"

namespace headscope {
namespace {

constexpr Color no_color{0, 0, 0, 0};

/// The cells for which one pixel of a row or column of the image stands.
struct Span {
  int begin, end;
};
Span cells_of(int pixel, int n_pixels, int n_cells) {
  const auto scaled = [=](int p) {
    return static_cast<int>(static_cast<std::int64_t>(p) * n_cells / n_pixels);
  };
  return {scaled(pixel), std::max(scaled(pixel) + 1, scaled(pixel + 1))};
}

std::span<const float> part_of(std::span<const float> values, Span part) {
  return values.subspan(static_cast<std::size_t>(part.begin),
                        static_cast<std::size_t>(part.end - part.begin));
}

/// The value with the greatest magnitude (signed), or the greatest value (unsigned). NaN if none is finite.
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

/// Rows of the source, with their ranges if each row has its own.
struct ReadRows {
  StageNumbers numbers;  ///< The numbers of the visible columns.
  int first = 0;         ///< The first row.
  std::vector<double> highs;
};

ReadRows rows_of(const HeatmapSpec& spec, const HeatmapLayout& layout, int first, int n) {
  ReadRows rows;
  rows.first = first;
  if (!spec.scale.is_per_row()) {
    rows.numbers = spec.source->read({first, layout.first_col, n, layout.n_cols});
    return rows;
  }
  rows.numbers = spec.source->read({first, 0, n, spec.extent().cols});
  for (int row = 0; row < n; ++row) rows.highs.push_back(spec.scale.high_in(rows.numbers.view.row(row)));
  rows.numbers.view = rows.numbers.view.block(0, layout.first_col, n, layout.n_cols);
  return rows;
}

double high_of(const ColorScale& scale, const std::vector<double>& highs, int index) {
  return highs.empty() ? scale.high() : highs[static_cast<std::size_t>(index)];
}

/// The strongest value of some rows in each column, or NaN if none is finite. Going through the columns in
/// parallel allows the compiler to vectorize the loop, which a search within a single row would not.
void strongest_of_columns(const ReadRows& read, Span rows, bool is_signed, std::span<float> strongest) {
  std::ranges::fill(strongest, std::numeric_limits<float>::quiet_NaN());
  constexpr float largest = std::numeric_limits<float>::max();
  for (int row = rows.begin; row < rows.end; ++row) {
    const float* values = read.numbers.view.row(row - read.first).data();
    const std::size_t n = strongest.size();
    float* best = strongest.data();
    if (is_signed) {
      for (std::size_t i = 0; i < n; ++i) {
        const float magnitude = std::abs(values[i]);
        best[i] = (magnitude <= largest) & !(magnitude <= std::abs(best[i])) ? values[i] : best[i];
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const bool is_finite = std::abs(values[i]) <= largest;
        best[i] = is_finite & !(values[i] <= best[i]) ? values[i] : best[i];
      }
    }
  }
}

/// The colour of the cell that is strongest relative to the range of its row.
Color strongest_color(const ColorScale& scale, const ReadRows& read, Span rows, Span cols) {
  std::optional<float> best_share;
  float best_strength = -1.0F;
  for (int row = rows.begin; row < rows.end; ++row) {
    const auto values = part_of(read.numbers.view.row(row - read.first), cols);
    const std::optional<float> share = scale.share_within(strongest(values, scale.is_signed()),
                                                          high_of(scale, read.highs, row - read.first));
    if (!share) continue;
    const float strength = scale.is_signed() ? std::abs(*share - 0.5F) : *share;
    if (strength <= best_strength) continue;
    best_strength = strength;
    best_share = share;
  }
  return best_share ? scale.color_at(*best_share) : no_color;
}

/// Whether infinite numbers and NaN occur.
std::pair<bool, bool> unfinite_in(const MatrixView& numbers) {
  bool has_infinite = false, has_nan = false;
  for (int row = 0; row < numbers.rows; ++row) {
    int infinite = 0;
    int nan = 0;
    for (const float value : numbers.row(row)) {
      infinite |= static_cast<int>(std::abs(value) == std::numeric_limits<float>::infinity());
      nan |= static_cast<int>(value != value);
    }
    has_infinite = has_infinite || infinite != 0;
    has_nan = has_nan || nan != 0;
  }
  return {has_infinite, has_nan};
}

/// Colours lines of the image, beginning at `first`.
void color_lines(const HeatmapSpec& spec, const HeatmapLayout& layout, const ReadRows& read, int first, int n,
                 Image& image) {
  const bool pooled = image.width < layout.n_cols || image.height < layout.n_rows;
  const bool has_one_range = !spec.scale.is_per_row();
  std::vector<float> strongest_in(pooled && has_one_range ? static_cast<std::size_t>(layout.n_cols) : 0);
  Color* pixel = image.pixels.data() + static_cast<std::ptrdiff_t>(first) * image.width;
  for (int y = first; y < first + n; ++y) {
    Span rows = cells_of(y, image.height, layout.n_rows);
    rows = {rows.begin + layout.first_row, rows.end + layout.first_row};
    if (!strongest_in.empty()) strongest_of_columns(read, rows, spec.scale.is_signed(), strongest_in);
    const int row = rows.begin - read.first;
    for (int x = 0; x < image.width; ++x) {
      const Span cols = cells_of(x, image.width, layout.n_cols);
      if (pooled && !has_one_range) {
        *pixel++ = strongest_color(spec.scale, read, rows, cols);
        continue;
      }
      const float value = pooled ? strongest(part_of(strongest_in, cols), spec.scale.is_signed())
                                 : read.numbers.view(row, cols.begin);
      *pixel++ = spec.scale.color_within(value, high_of(spec.scale, read.highs, row)).value_or(no_color);
    }
  }
}

/// Returns false if it was stopped.
bool color_image(const HeatmapSpec& spec, const HeatmapLayout& layout, const std::atomic<bool>* stop,
                 HeatmapCells& cells) {
  const auto pixels = [](int n_cells, float length) {
    return std::min(n_cells, std::max(1, static_cast<int>(length)));
  };
  auto image = std::make_shared<Image>();
  image->width = pixels(layout.n_cols, layout.cells.w);
  image->height = pixels(layout.n_rows, layout.cells.h);
  image->pixels.resize(static_cast<std::size_t>(image->width) * static_cast<std::size_t>(image->height));
  const std::int64_t rows_a_line = (layout.n_rows + image->height - 1) / image->height;
  std::mutex adding;
  const bool complete =
      for_row_blocks(0, image->height, rows_a_line * spec.extent().cols, stop, [&](int first, int n) {
        const int begin = cells_of(first, image->height, layout.n_rows).begin;
        const int end = cells_of(first + n - 1, image->height, layout.n_rows).end;
        const ReadRows read = rows_of(spec, layout, layout.first_row + begin, end - begin);
        color_lines(spec, layout, read, first, n, *image);
        const auto [has_infinite, has_nan] = unfinite_in(read.numbers.view);
        const std::lock_guard lock(adding);
        cells.has_infinite = cells.has_infinite || has_infinite;
        cells.has_nan = cells.has_nan || has_nan;
      });
  cells.image = std::move(image);
  return complete;
}

}  // namespace

std::shared_ptr<const HeatmapCells> read_cells(const HeatmapSpec& spec, const HeatmapLayout& layout,
                                               const std::atomic<bool>* stop) {
  auto cells = std::make_shared<HeatmapCells>();
  if (spec.extent().empty()) return cells;
  if (!layout.raster) {
    auto read = rows_of(spec, layout, layout.first_row, layout.n_rows);
    cells->row_highs = std::move(read.highs);
    cells->numbers = OwnedMatrix(read.numbers.view);
    std::tie(cells->has_infinite, cells->has_nan) = unfinite_in(cells->numbers.view());
  } else if (!color_image(spec, layout, stop, *cells)) {
    return nullptr;
  }
  return cells;
}

}  // namespace headscope
