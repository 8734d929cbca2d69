#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/parts/page_builder.h"
#include "core/trace/explain.h"

namespace headscope {

/// A column of bars that extend to both sides of 0, or from the left.
struct SignedBars {
  std::string title;
  /// One value per line. BarTable::instead replaces an empty one.
  std::vector<std::optional<double>> values;
  bool from_left = false;  ///< No value is below 0.
  /// The magnitude of a full bar. Empty for the maximum of the column.
  std::optional<double> most = {};
  std::optional<Color> color = {};  ///< The colour of its bars. Empty for the table's colours.
  /// Values up to this magnitude are rounding errors: they get no bar, and "≈0" in place of digits. So do
  /// values that rounded_text() writes like this.
  double resolution = 0.0;
};

/// Lines of bars below a line of titles: a label on the left, then one bar per column.
struct BarTable {
  std::string labels_title;  ///< The title of the labels. Empty if the page says what they are.
  std::vector<std::string> labels;
  std::vector<SignedBars> columns;
  std::vector<std::string> instead;  ///< One text per line that replaces a missing number, such as “off”.
  /// The part of the model that each line is about, which becomes its region. Empty for none.
  std::vector<std::optional<ModelPart>> parts = {};
  std::optional<std::size_t> marked;  ///< The line whose label has the accent colour.
  Color negative, positive;           ///< Colours of bars below and above 0.
  float line = 20.0F;                 ///< The height of a line and of the titles.
  bool has_axes = false;              ///< Writes 0 and a round number below each column.
};

/// Sets the colours of bars below and above 0 to those of diverging maps.
void set_diverging_colors(BarTable& table, const PictureOptions& picture);

/// The height of the numbers below the columns, if the table has axes.
inline constexpr float bar_axis_height = 18.0F;

/// The width at which all titles fit.
float width_for_titles(const BarTable& table, const MeasureText& measure);

/// Draws the table. Each column has its own scale, which ends at SignedBars::most.
Page draw_bar_table(const BarTable& table, float width, const Theme& theme, const MeasureText& measure);

/// The numbers of steps, with all digits if details or all numbers are asked for. If the last is the sum of
/// the others, all then have the same decimals: so many that the written numbers add up.
std::vector<std::string> step_texts(std::span<const Explanation::Step> steps, const PictureOptions& picture);

/// Draws strips of a derivation with the same elements (see strip_groups()) as a table with a column per
/// strip and a row per element: dimension, q, k, q · k. Bars behind the last column show magnitudes relative
/// to its maximum. Of very many elements, only the strongest are listed, and the last line counts the others.
/// NaN marks a number that an exercise asks for.
Figure derivation_table(const PageInputs& in, const PageTools& tools,
                        std::span<const Explanation::Strip> group, float width);

}  // namespace headscope
