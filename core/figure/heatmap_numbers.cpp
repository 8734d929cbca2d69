#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "core/figure/cell_text.h"
#include "core/figure/heatmap.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

/// How many of the numbers have each length, in letters.
struct NumberLengths {
  std::array<int, 16> full{}, brief{};
  /// The width of the widest full number of each length, in digits. A point takes half a digit.
  std::array<float, 16> widest{};
  bool needs_third = false;  ///< A number below 1 would read as 1 with two digits.

  /// The width in digits of numbers that are shortened to a length. What a longer number is shortened to has
  /// a point if it is as long as that.
  float width_at(int length) const {
    constexpr float of_point = 0.5F;
    float width = 1.0F;
    for (std::size_t i = 0; i < widest.size(); ++i) {
      if (full[i] == 0) continue;
      const bool is_shortened = static_cast<int>(i) > length;
      width = std::max(width, is_shortened ? static_cast<float>(length) - of_point : widest[i]);
    }
    return width;
  }
  static int longest(const std::array<int, 16>& counts) {
    const auto last = std::find_if(counts.rbegin(), counts.rend(), [](int n) { return n > 0; });
    return std::max(1, static_cast<int>(counts.rend() - last) - 1);
  }
  /// The length that nine in ten numbers do not exceed.
  static int usual(const std::array<int, 16>& counts) {
    const int all = std::accumulate(counts.begin(), counts.end(), 0);
    int so_far = 0;
    for (std::size_t length = 0; length < counts.size(); ++length) {
      so_far += counts[length];
      if (10 * so_far >= 9 * all) return std::max(1, static_cast<int>(length));
    }
    return longest(counts);
  }
};

constexpr float least_size = 8.0F;

/// The size of numbers in cells that have room for any: that of the other texts, and more in large cells.
float largest_number(float font_size, float cell) {
  constexpr float share = 0.28F;
  constexpr float most = 16.0F;
  return std::max(font_size - 1.0F, std::min(share * cell, most));
}

/// A number in a notation that does not shorten numbers further. Empty if the notation does.
std::optional<std::string> only_form(const HeatmapSpec& spec, float value, int letters = 3) {
  if (spec.decimals > 0) return decimal_text(value, spec.decimals);
  if (spec.notation == CellNotation::share) return share_cell_text(value, letters);
  if (spec.notation == CellNotation::rounded) return rounded_cell_text(value, letters);
  return std::nullopt;
}

NumberLengths lengths_of(const OwnedMatrix& numbers, const HeatmapSpec& spec) {
  NumberLengths lengths;
  const auto count = [](std::array<int, 16>& counts, int length) {
    ++counts[std::min(static_cast<std::size_t>(length), counts.size() - 1)];
  };
  for (const float value : numbers.values) {
    if (!std::isfinite(value)) continue;
    const std::optional<std::string> only = only_form(spec, value);
    const std::string text = only ? *only : cell_text(value);
    const int full = count_code_points(text);
    const float point = text.find('.') == std::string::npos ? 0.0F : 0.5F;
    const std::size_t slot = std::min(static_cast<std::size_t>(full), lengths.widest.size() - 1);
    lengths.widest[slot] = std::max(lengths.widest[slot], static_cast<float>(full) - point);
    lengths.needs_third = lengths.needs_third || (only && *only != only_form(spec, value, full + 1));
    count(lengths.full, full);
    count(lengths.brief, only ? full : least_characters(value));
  }
  return lengths;
}

}  // namespace

std::string number_in_cell(const HeatmapSpec& spec, float value, int letters) {
  const std::optional<std::string> only = only_form(spec, value, letters);
  if (!only) return cell_text(value, letters);
  const bool is_number_of_sheet = spec.decimals > 0;
  return is_number_of_sheet || count_code_points(*only) <= letters ? *only : "";
}

NumberFit fit_numbers(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                      const MeasureText& measure) {
  constexpr float padding = 4.0F;
  const float room = layout.cell_width - layout.gap - padding;
  const float largest = largest_number(spec.font_size, std::min(layout.cell_width, layout.cell_height));
  const TextSize unit = measure("0", Font::sans, largest);
  if (layout.raster || !spec.numbers || room < 2.0F * least_size * unit.width / largest) return {};
  const NumberLengths lengths = lengths_of(cells.numbers, spec);
  const float by_height = (layout.cell_height - layout.gap) / (unit.height / largest);
  const auto size_for = [&](int length) {
    const float by_width = room / (lengths.width_at(length) * unit.width / largest);
    return std::min({std::floor(by_width * 2.0F) / 2.0F, by_height, largest});
  };
  const int briefest = NumberLengths::longest(lengths.brief);
  int length = NumberLengths::longest(lengths.full);
  constexpr float readable = 10.0F;  // Shorter forms are better than smaller digits.
  while (length > briefest && size_for(length) < readable) --length;
  if (size_for(length) < least_size && spec.decimals == 0) length = NumberLengths::usual(lengths.brief);
  float size = size_for(length);
  if (size < least_size) return {};
  // A decimal point is narrower than a digit, so that three digits may fit where four letters do not.
  constexpr std::string_view three_digits = ".000";
  const float for_third =
      std::floor(2.0F * (room + 1.0F) * largest / measure(three_digits, Font::sans, largest).width) / 2.0F;
  const bool has_third = for_third >= std::min(size, readable);
  if (has_third && lengths.needs_third) size = std::min(size, for_third);
  const int letters = static_cast<int>(room / (size * unit.width / largest) + 0.01F);
  return {size, std::max({letters, length, for_third >= size ? static_cast<int>(three_digits.size()) : 0})};
}

}  // namespace headscope
