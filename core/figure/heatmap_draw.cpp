#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/figure/color_scale.h"
#include "core/figure/heatmap.h"
#include "core/figure/heatmap_metrics.h"
#include "core/figure/text_fit.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

using namespace heatmap_metrics;

/// A line of the header, above the cells. A longer one begins at the left edge, and one that is still too
/// long is written smaller, because nobody can ask a file for the rest of a title.
Label header_line(const std::string& text, Label at, float right, float left, const MeasureText& measure) {
  constexpr float least = 0.6F;
  const auto width = [&] { return measure(text, at.font, at.size).width; };
  if (at.at.x + width() > right) at.at.x = left;
  if (const float room = right - at.at.x; width() > room) at.size *= std::max(room / width(), least);
  at.text = elided_text(text, right - at.at.x, at.font, at.size, measure);
  return at;
}

void draw_header(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                 const MeasureText& measure, Figure& figure) {
  const float x = layout.cells.x;
  const float right = layout.area.right();
  float y = layout.area.y;
  if (!spec.title.empty() || !spec.shape.empty()) {
    const float shape_size = spec.font_size - 1.0F;
    const float shape_width = spec.shape.empty() ? 0.0F : measure(spec.shape, Font::mono, shape_size).width;
    const float for_shape = spec.shape.empty() ? 0.0F : shape_width + label_distance;
    const Label title = header_line(spec.title, {"", {x, y}, theme.text, spec.font_size, Font::sans_bold},
                                    right - for_shape, layout.area.x, measure);
    const float line = measure("X", Font::sans_bold, spec.font_size).height;
    if (!title.text.empty()) figure.items.emplace_back(title);
    if (!spec.shape.empty() && x + shape_width <= right) {
      const float title_width = measure(title.text, title.font, title.size).width;
      const float shape_x = title.text.empty() ? x : title.at.x + title_width + label_distance;
      add_text(figure, spec.shape, {shape_x, y + 0.5F * line}, theme.quiet, shape_size, Font::mono);
    }
    y += line + 2.0F;
  }
  if (!spec.formula.empty()) {
    const float size = spec.font_size - 1.0F;
    figure.items.emplace_back(header_line(spec.formula, {"", {x, y}, theme.quiet, size, Font::mono}, right,
                                          layout.area.x, measure));
  }
}

void draw_row_labels(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                     Figure& figure) {
  for (const AxisLabel& label : layout.row_labels) {
    const Box cell = layout.box_of(label.index, layout.first_col);
    const bool marked = spec.marked_row == label.index;
    add_text(figure, label.text, {layout.cells.x - label_distance, cell.y + 0.5F * cell.h},
             marked ? theme.accent : theme.text, layout.label_size, marked ? Font::sans_bold : Font::sans,
             HorizontalAnchor::right);
  }
}

void draw_col_labels(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                     const MeasureText& measure, Figure& figure) {
  const float line = measure("X", Font::sans, layout.label_size).height;
  for (const AxisLabel& label : layout.col_labels) {
    const Box cell = layout.box_of(layout.first_row, label.index);
    const bool marked = spec.marked_col == label.index;
    const float center = cell.x + 0.5F * cell.w;
    Label item{label.text,
               {center, layout.cells.y - 4.0F},
               marked ? theme.accent : theme.text,
               layout.label_size,
               marked ? Font::sans_bold : Font::sans,
               HorizontalAnchor::center,
               VerticalAnchor::bottom};
    if (layout.turn != LabelTurn::flat) {
      const bool is_slanted = layout.turn == LabelTurn::slanted;
      if (is_slanted) item.at.y -= 0.5F * line * sin_45;
      item.horizontal = HorizontalAnchor::left;
      item.vertical = VerticalAnchor::middle;
      item.degrees = is_slanted ? 45.0F : 90.0F;
    }
    figure.items.emplace_back(std::move(item));
  }
}

/// Which shares have no number, unless they have none at all or an exercise asks for them.
std::string about_left_out(const HeatmapSpec& spec, bool has_numbers) {
  const bool leaves_out = spec.leaves_out_below >= small_share && has_numbers && !spec.cover.stage;
  return leaves_out ? " · cells below 0.005 have no number" : "";
}

/// Writes what the rows and columns are. The title of the columns stays in the room of the map. In small
/// print, it also says what the label of the bar otherwise says.
void draw_axis_titles(const HeatmapSpec& spec, const HeatmapLayout& layout, bool has_numbers,
                      const Theme& theme, const MeasureText& measure, Figure& figure) {
  const float size = axis_title_size(spec.font_size);
  const Box& cells = layout.cells;
  if (!spec.col_axis.empty()) {
    const Box& area = layout.area;
    const std::string left_out = is_small_print(spec.min_number) ? about_left_out(spec, has_numbers) : "";
    const std::string title = elided_text(spec.col_axis + left_out, area.w, Font::sans, size, measure);
    const float half = 0.5F * measure(title, Font::sans, size).width;
    const float middle = std::min(cells.x + 0.5F * cells.w, area.right() - half);
    figure.write(title, {std::max(middle, area.x + half), cells.bottom() + 6.0F}, theme.quiet, size,
                 Font::sans, HorizontalAnchor::center, VerticalAnchor::top);
  }
  if (!spec.row_axis.empty()) {
    figure.write(spec.row_axis, {layout.area.x + 0.625F * size, cells.y + 0.5F * cells.h}, theme.quiet, size,
                 Font::sans, HorizontalAnchor::center, VerticalAnchor::middle, 90.0F);
  }
}

/// Frames a cell of an exercise whose number is shown because it was found, or because the solution is shown.
void frame_found_cell(const Box& box, const Theme& theme, Figure& figure) {
  constexpr float line = 1.5F;
  add_frame(figure, box.grown(-0.5F * line), theme.accent, line);
}

/// The number of a hatched cell in the stage. For shares of attention, it is 0 where the mask hides the cell.
std::string number_of_hidden_cell(const HeatmapSpec& spec, float value) {
  const bool is_share = spec.cover.stage && info(spec.cover.stage->kind).is_share;
  return rounded_text(is_share && std::isinf(value) ? 0.0 : static_cast<double>(value));
}

/// The width of a text of digits, relative to that of a digit. A decimal point takes half as much.
float width_in_digits(std::string_view number) {
  constexpr float point = 0.5F;
  return static_cast<float>(count_code_points(number)) -
         (number.find('.') == std::string_view::npos ? 0.0F : point);
}

/// Writes a number in the notation of the spec.
std::string number_in_cell(const HeatmapSpec& spec, float value, CellDigits digits) {
  const auto number = static_cast<double>(value);
  if (spec.decimals > 0) return decimals_text(number, spec.decimals);
  return std::fabs(value) < spec.leaves_out_below ? std::string() : rounded_text(number, digits);
}

/// Returns the image of small cells with the covered ones in the background colour, so that no file holds
/// their numbers. A pixel that stands for several cells is covered if its first cell is.
std::shared_ptr<const Image> without_covered(const HeatmapSpec& spec, const HeatmapLayout& layout,
                                             std::shared_ptr<const Image> image, const Theme& theme) {
  if (!spec.cover.stage) return image;
  const auto cell = [](int pixel, int n_pixels, int n_cells) {
    return static_cast<int>(static_cast<std::int64_t>(pixel) * n_cells / n_pixels);
  };
  auto covered = std::make_shared<Image>(*image);
  for (int y = 0; y < image->height; ++y) {
    const int row = layout.first_row + cell(y, image->height, layout.n_rows);
    for (int x = 0; x < image->width; ++x) {
      const int col = layout.first_col + cell(x, image->width, layout.n_cols);
      if (spec.cover.hides(row, col))
        covered->pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image->width) +
                        static_cast<std::size_t>(x)] = theme.panel;
    }
  }
  return covered;
}

void draw_separate_cells(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                         const NumberFit& fit, const Theme& theme, Figure& figure) {
  figure.items.reserve(figure.items.size() + cells.numbers.values.size() * (fit.size > 0.0F ? 2 : 1));
  for (int row = 0; row < layout.n_rows; ++row) {
    const double high =
        cells.row_highs.empty() ? spec.scale.high() : cells.row_highs[static_cast<std::size_t>(row)];
    for (int col = 0; col < layout.n_cols; ++col) {
      const Box box = layout.box_of(layout.first_row + row, layout.first_col + col);
      const int at_row = layout.first_row + row;
      const int at_col = layout.first_col + col;
      if (spec.cover.hides(at_row, at_col)) {
        // A cell to write in has no colour, which would reveal its number.
        constexpr float line = 1.0F;
        constexpr float min_written_height = 24.0F;
        add_box(figure, box, theme.panel);
        add_frame(figure, box.grown(-0.5F * line), box.w < min_written_height ? theme.line : theme.quiet,
                  line);
        continue;
      }
      const bool is_found = spec.cover.covers(at_row, at_col);
      const float value = cells.numbers.at(row, col);
      const std::optional<Color> color = spec.scale.color_within(value, high);
      if (!color) {
        const bool is_nan = std::isnan(value) && !spec.differs;
        const std::string number = is_nan ? "NaN" : is_found ? number_of_hidden_cell(spec, value) : "";
        if (number.empty() || fit.size <= 0.0F) {
          figure.items.emplace_back(Hatch{box, hatch_color(theme)});
        } else {
          add_text(figure, number, box.center(), theme.text, fit.size, Font::sans, HorizontalAnchor::center);
        }
        if (is_found) frame_found_cell(box, theme, figure);
        continue;
      }
      add_box(figure, box, *color);
      if (is_found) frame_found_cell(box, theme, figure);
      if (fit.size <= 0.0F) continue;
      std::string number = number_in_cell(spec, value, fit.digits);
      if (number.empty() || width_in_digits(number) > fit.width) continue;
      add_text(figure, std::move(number), box.center(), readable_on(*color), fit.size, Font::sans,
               HorizontalAnchor::center);
    }
  }
}

void outline(const HeatmapLayout& layout, CellIndex cell, Color color, float thickness, Figure& figure) {
  if (cell.row < layout.first_row || cell.row >= layout.first_row + layout.n_rows ||
      cell.col < layout.first_col || cell.col >= layout.first_col + layout.n_cols) {
    return;
  }
  Box box = layout.box_of(cell.row, cell.col);
  // A cell of a large map may be smaller than its outline, which is then drawn around it.
  constexpr float min_side = 5.0F;
  const float grow_x = std::max(0.0F, 0.5F * (min_side - box.w)) + 0.5F * thickness;
  const float grow_y = std::max(0.0F, 0.5F * (min_side - box.h)) + 0.5F * thickness;
  box = {box.x - grow_x, box.y - grow_y, box.w + 2.0F * grow_x, box.h + 2.0F * grow_y};
  add_frame(figure, box, color, thickness, std::min(2.0F, 0.2F * box.w));
}

/// The labels of the colour bar, the longer one first. For shares, the longer one also says which cells have
/// no number.
std::vector<std::string> bar_labels(const HeatmapSpec& spec, bool has_numbers) {
  if (!spec.color_bar_label || is_small_print(spec.min_number)) return {};
  const std::string scale = spec.scale.label();
  const std::string left_out = about_left_out(spec, has_numbers);
  return left_out.empty() ? std::vector{scale} : std::vector{scale + left_out, scale};
}

constexpr float readable_size = 10.0F;  ///< Fewer digits are better than smaller ones.

/// The widths of all numbers in digits, the widest last. Empty if no cell has a number.
std::vector<float> widths_of(const OwnedMatrix& numbers, const HeatmapSpec& spec, CellDigits digits) {
  std::vector<float> widths;
  for (const float value : numbers.values) {
    if (!std::isfinite(value)) continue;
    const std::string text = number_in_cell(spec, value, digits);
    if (!text.empty()) widths.push_back(width_in_digits(text));
  }
  std::ranges::sort(widths);
  return widths;
}

}  // namespace

void draw_heatmap_marks(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                        Figure& figure) {
  if (spec.hovered && spec.hovered != spec.pinned) outline(layout, *spec.hovered, theme.text, 1.5F, figure);
  if (spec.pinned) outline(layout, *spec.pinned, theme.accent, 2.5F, figure);
}

Figure draw_heatmap(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                    const MeasureText& measure) {
  return draw_heatmap(spec, layout, read_cells(spec, layout).get(), theme, measure);
}

Figure draw_heatmap(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells* cells,
                    const Theme& theme, const MeasureText& measure) {
  Figure figure{layout.area.right(), layout.area.bottom(), theme.panel, {}};
  if (spec.extent().empty()) return figure;
  draw_header(spec, layout, theme, measure, figure);
  draw_row_labels(spec, layout, theme, figure);
  draw_col_labels(spec, layout, theme, measure, figure);
  const NumberFit fit = cells == nullptr ? NumberFit{} : fit_numbers(spec, layout, *cells, measure);
  draw_axis_titles(spec, layout, fit.size > 0.0F, theme, measure, figure);
  if (cells == nullptr) {
    add_frame(figure, layout.cells, theme.line);
  } else if (layout.raster) {
    auto image = without_covered(spec, layout, cells->image, theme);
    if (std::ranges::any_of(image->pixels, [](Color pixel) { return pixel.a == 0; }))
      figure.items.emplace_back(Hatch{layout.cells, hatch_color(theme)});
    figure.items.emplace_back(Raster{std::move(image), layout.cells});
    if (hides_any(spec.cover, spec.extent().rows, spec.extent().cols))
      add_frame(figure, layout.cells, theme.line);
  } else {
    draw_separate_cells(spec, layout, *cells, fit, theme, figure);
  }
  const Extent size = spec.extent();
  const bool is_secret = spec.scale.reveals_maximum() && hides_any(spec.cover, size.rows, size.cols);
  if (spec.color_bar && is_secret) {
    draw_bar_colors(spec.scale, layout.color_bar, figure);
  } else if (spec.color_bar) {
    draw_color_bar(spec.scale, layout.color_bar, bar_labels(spec, fit.size > 0.0F), spec.font_size, theme,
                   measure, figure);
  }
  if (spec.frames_row && spec.marked_row) {
    const auto row = layout.box_of_part(spec.marked_row, std::nullopt);
    if (row) add_frame(figure, row->grown(layout.gap), theme.accent, 1.5F, 3.0F);
  }
  draw_heatmap_marks(spec, layout, theme, figure);
  return figure;
}

NumberFit fit_numbers(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                      const MeasureText& measure) {
  // Most differences have a sign, which takes the place of the padding.
  const float padding = spec.differs || is_small_print(spec.min_number) ? 1.0F : 3.0F;
  const float min_size = spec.min_number;
  constexpr float padding_of_usual = 6.0F;
  constexpr float narrowest = 2.0F;  // The width of the shortest numbers of most maps, in digits.
  const float room = layout.cell_width - layout.gap - padding;
  // The greatest size is that of the other texts, and more in large cells.
  const float in_cell = std::min(0.28F * std::min(layout.cell_width, layout.cell_height), 16.0F);
  const float largest = std::max({spec.font_size - 1.0F, in_cell, min_size});
  const TextSize unit = measure("0", Font::sans, largest);
  if (layout.raster || !spec.numbers || room < narrowest * min_size * unit.width / largest) return {};
  const float by_height = (layout.cell_height - layout.gap) / (unit.height / largest);
  const auto size_for = [&](float digits, float width) {
    const float by_width = width / (digits * unit.width / largest);
    const float rounded = std::max(std::floor(by_width * 2.0F) / 2.0F, std::min(by_width, min_size));
    return std::min({rounded, by_height, largest});
  };
  const auto fit_at = [&](float size, CellDigits digits) {
    return size < min_size ? NumberFit{}
                           : NumberFit{size, digits, room / (size * unit.width / largest) + 0.01F};
  };
  const std::vector<float> usual = widths_of(cells.numbers, spec, CellDigits::three);
  if (usual.empty()) return fit_at(std::min(by_height, largest), CellDigits::three);
  const bool is_sheet = spec.decimals > 0;
  const float size = size_for(usual.back(), is_sheet ? room : room + padding - padding_of_usual);
  if (size >= std::max(readable_size, min_size) || is_sheet) return fit_at(size, CellDigits::three);
  const std::vector<float> brief = widths_of(cells.numbers, spec, CellDigits::two);
  const float of_all = size_for(brief.back(), room);
  // A few numbers that are too long do not keep the others from being written, but no share of nearly 1 is
  // left out among others.
  constexpr float nearly_one = 0.995F;
  const bool has_nearly_one = std::ranges::any_of(
      cells.numbers.values, [](float value) { return value >= nearly_one && value < 1.0F; });
  if (of_all >= min_size) return fit_at(of_all, CellDigits::two);
  if (has_nearly_one)
    return fit_at(size_for(widths_of(cells.numbers, spec, CellDigits::two_or_bound).back(), room),
                  CellDigits::two_or_bound);
  return fit_at(size_for(brief[9 * (brief.size() - 1) / 10], room), CellDigits::two);
}

}  // namespace headscope
