#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/cell_text.h"
#include "core/figure/heatmap.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

constexpr float least_size = 8.0F;
constexpr float readable_size = 10.0F;  ///< Fewer digits are better than smaller ones.

/// The greatest size of numbers in cells: that of the other texts, and more in large cells.
float largest_number(float font_size, float cell) {
  constexpr float share = 0.28F;
  constexpr float most = 16.0F;
  return std::max(font_size - 1.0F, std::min(share * cell, most));
}

/// Whether a text is a bound, such as "<.001" and ">.999", instead of the number itself.
bool is_bound(std::string_view text) {
  return text.starts_with('<') || text.starts_with('>');
}

/// The widths of all numbers in digits, the widest last. Empty if no cell has a number. Bounds count with two
/// digits, in which they can always be written.
std::vector<float> widths_of(const OwnedMatrix& numbers, const HeatmapSpec& spec, CellDigits digits) {
  std::vector<float> widths;
  for (const float value : numbers.values) {
    if (!std::isfinite(value)) continue;
    std::string text = number_in_cell(spec, value, digits);
    if (is_bound(text)) text = number_in_cell(spec, value, CellDigits::two);
    if (!text.empty()) widths.push_back(width_in_digits(text));
  }
  std::ranges::sort(widths);
  return widths;
}

}  // namespace

float width_in_digits(std::string_view number) {
  constexpr float point = 0.5F;
  return static_cast<float>(count_code_points(number)) -
         (number.find('.') == std::string_view::npos ? 0.0F : point);
}

std::string number_in_cell(const HeatmapSpec& spec, float value, CellDigits digits) {
  if (spec.decimals > 0) return decimal_text(value, spec.decimals);
  if (spec.notation == CellNotation::share) return share_cell_text(value, digits);
  if (spec.notation == CellNotation::rounded) return rounded_cell_text(value, digits);
  return cell_text(value, digits);
}

std::string fitting_number(const HeatmapSpec& spec, float value, const NumberFit& fit) {
  std::string text = number_in_cell(spec, value, fit.digits);
  if (is_bound(text) && width_in_digits(text) > fit.width)
    text = number_in_cell(spec, value, CellDigits::two);
  if (width_in_digits(text) > fit.width) text.clear();
  return text;
}

NumberFit fit_numbers(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                      const MeasureText& measure) {
  constexpr float padding = 3.0F;
  constexpr float padding_of_usual = 6.0F;
  constexpr float narrowest = 2.0F;  // The width of the shortest numbers of most maps, in digits.
  const float room = layout.cell_width - layout.gap - padding;
  const float largest = largest_number(spec.font_size, std::min(layout.cell_width, layout.cell_height));
  const TextSize unit = measure("0", Font::sans, largest);
  if (layout.raster || !spec.numbers || room < narrowest * least_size * unit.width / largest) return {};
  const float by_height = (layout.cell_height - layout.gap) / (unit.height / largest);
  const auto size_for = [&](float digits, float width) {
    const float by_width = width / (digits * unit.width / largest);
    return std::min({std::floor(by_width * 2.0F) / 2.0F, by_height, largest});
  };
  const auto fit_at = [&](float size, CellDigits digits) {
    return size < least_size ? NumberFit{}
                             : NumberFit{size, digits, room / (size * unit.width / largest) + 0.01F};
  };
  const std::vector<float> usual = widths_of(cells.numbers, spec, CellDigits::three);
  if (usual.empty()) return fit_at(std::min(by_height, largest), CellDigits::three);
  const bool is_sheet = spec.decimals > 0;
  const float size = size_for(usual.back(), is_sheet ? room : room + padding - padding_of_usual);
  if (size >= readable_size || is_sheet) return fit_at(size, CellDigits::three);
  const std::vector<float> brief = widths_of(cells.numbers, spec, CellDigits::two);
  const float of_all = size_for(brief.back(), room);
  // A few numbers that are too long do not keep the others from being written.
  const float of_most = size_for(brief[9 * (brief.size() - 1) / 10], room);
  return fit_at(of_all >= least_size ? of_all : of_most, CellDigits::two);
}

}  // namespace headscope
