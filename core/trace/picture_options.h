#pragma once

namespace headscope {

enum class ThemeName { light, dark };

/// Colour maps for values that start at zero, and for signed ones. All are perceptually uniform and safe
/// for colour-blind eyes.
enum class SequentialMap { headscope, viridis, cividis, grays };
enum class DivergingMap { headscope, blue_orange, purple_green };

/// What the colour range spans. Usual: 0 to 1 for shares of attention, so that pictures of them can be
/// compared, and the map's own numbers for all else.
enum class RangeMode { usual, row, map, all_heads, fixed };
enum class Transfer { linear, logarithmic, gamma };

/// How numbers become colours. Never changes a number.
struct PictureOptions {
  SequentialMap sequential = SequentialMap::headscope;
  DivergingMap diverging = DivergingMap::headscope;
  RangeMode range = RangeMode::usual;
  double fixed_low = 0.0;  ///< with RangeMode::fixed
  double fixed_high = 1.0;
  Transfer transfer = Transfer::linear;
  float gamma = 0.5F;  ///< with Transfer::gamma: colour = share^gamma
  bool numbers = true;
  bool details = false;          ///< ids, shapes, sums in letters, paths and full digits are shown
  bool all_numbers = false;      ///< every product and exponent of an explained number is listed
  float line_threshold = 0.02F;  ///< lines of the token strip below it are not drawn
  ThemeName theme = ThemeName::light;
  bool fits_diagram = false;  ///< the model's diagram is as large as makes all of it fit into its room
  bool operator==(const PictureOptions&) const = default;
};

}  // namespace headscope
