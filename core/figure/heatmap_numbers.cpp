#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/figure/cell_text.h"
#include "core/figure/heatmap.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

/// How many of the cells' numbers have each number of letters.
struct NumberLengths {
  std::array<int, 16> full{}, brief{};

  static int longest(const std::array<int, 16>& counts) {
    const auto last = std::find_if(counts.rbegin(), counts.rend(), [](int n) { return n > 0; });
    return std::max(1, static_cast<int>(counts.rend() - last) - 1);
  }
  /// The length that nine in ten do not exceed.
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

NumberLengths lengths_of(const OwnedMatrix& numbers, int decimals) {
  NumberLengths lengths;
  const auto count = [](std::array<int, 16>& counts, int length) {
    ++counts[std::min(static_cast<std::size_t>(length), counts.size() - 1)];
  };
  for (const float value : numbers.values) {
    if (!std::isfinite(value)) continue;
    const int full = count_code_points(decimals > 0 ? decimal_text(value, decimals) : cell_text(value));
    count(lengths.full, full);
    count(lengths.brief, decimals > 0 ? full : least_characters(value));
  }
  return lengths;
}

}  // namespace

NumberFit fit_numbers(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                      const MeasureText& measure) {
  constexpr float padding = 4.0F;
  const float room = layout.cell_width - layout.gap - padding;
  const float largest = spec.font_size - 1.0F;
  const TextSize unit = measure("0", Font::mono, largest);
  if (layout.raster || !spec.numbers || room < 2.0F * least_size * unit.width / largest) return {};
  const NumberLengths lengths = lengths_of(cells.numbers, spec.decimals);
  const float by_height = (layout.cell_height - layout.gap) / (unit.height / largest);
  const auto size_for = [&](int length) {
    const float by_width = room / (static_cast<float>(length) * unit.width / largest);
    return std::min({std::floor(by_width * 2.0F) / 2.0F, by_height, largest});
  };
  const int briefest = NumberLengths::longest(lengths.brief);
  int length = NumberLengths::longest(lengths.full);
  while (length > briefest && size_for(length) < least_size) --length;
  if (size_for(length) < least_size && spec.decimals == 0) length = NumberLengths::usual(lengths.brief);
  const float size = size_for(length);
  if (size < least_size) return {};
  return {size, static_cast<int>(room / (size * unit.width / largest) + 0.01F)};
}

}  // namespace headscope
