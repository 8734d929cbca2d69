#pragma once

namespace headscope {

enum class ThemeName { light, dark };

/// The colour maps for values that start at zero, and those for signed values. All are perceptually uniform
/// and suitable for colour-blind people.
enum class SequentialMap { headscope, viridis, cividis, grays };
enum class DivergingMap { headscope, blue_orange, purple_green };

/// The colour range. `usual` is 0 to 1 for attention weights, so that pictures are comparable, and the range
/// of the map otherwise.
enum class RangeMode { usual, row, map, all_heads, fixed };
enum class Transfer { linear, logarithmic, gamma };

/// How numbers are mapped to colours, and what pictures show. Never changes numbers.
struct PictureOptions {
  SequentialMap sequential = SequentialMap::headscope;
  DivergingMap diverging = DivergingMap::headscope;
  RangeMode range = RangeMode::usual;
  double fixed_low = 0.0;  ///< with RangeMode::fixed
  double fixed_high = 1.0;
  Transfer transfer = Transfer::linear;
  float gamma = 0.5F;  ///< with Transfer::gamma: colour = share^gamma
  bool numbers = true;
  bool details = false;          ///< whether ids, shapes, einsums, paths and all digits are shown
  bool all_numbers = false;      ///< whether explanations list every product and exponential
  float line_threshold = 0.02F;  ///< the minimum weight of lines in the token strip
  bool surprise = false;         ///< whether the surprise of each word stands above it
  ThemeName theme = ThemeName::light;
  bool readable_diagram =
      true;  ///< whether the model's diagram stays readable and scrolls instead of shrinking
  bool operator==(const PictureOptions&) const = default;
};

}  // namespace headscope
