#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/figure/heatmap.h"

/// Distances in figure units that the layout and the drawing of a heatmap share.
namespace headscope::heatmap_metrics {

inline constexpr float sin_45 = 0.70710678F;
inline constexpr float label_distance = 8.0F;  ///< From the labels to the cells.
inline constexpr float min_label_size = 10.0F;
inline constexpr float bar_distance = 16.0F;  ///< From the cells to the colour bar.
inline constexpr float bar_width = 10.0F;
inline constexpr float tick_distance = 6.0F;       ///< From the bar to its numbers.
inline constexpr float bar_label_distance = 6.0F;  ///< From the numbers to the label of the bar.
inline constexpr float min_bar_height = 48.0F;
inline constexpr float min_separate_cell = 8.0F;  ///< Smaller cells are drawn as one image.

inline float tick_size(float font_size) {
  return font_size - 2.0F;
}
inline float axis_title_size(float font_size) {
  return font_size - 1.0F;
}
inline float axis_title_room(float font_size) {
  return axis_title_size(font_size) * 1.25F + 8.0F;
}

/// The height of the title and the formula, including the distance to what follows.
inline float header_height(const HeatmapSpec& spec, const MeasureText& measure) {
  float height = 0.0F;
  if (!spec.title.empty() || !spec.shape.empty()) {
    height += measure("X", Font::sans_bold, spec.font_size).height + 2.0F;
  }
  if (!spec.formula.empty()) height += measure("X", Font::mono, spec.font_size - 1.0F).height;
  return height > 0.0F ? height + 8.0F : 0.0F;
}

/// The width of the title with the shape, or of the formula, whichever is greater.
inline float header_width(const HeatmapSpec& spec, const MeasureText& measure) {
  float title = measure(spec.title, Font::sans_bold, spec.font_size).width;
  if (!spec.shape.empty()) {
    title += label_distance + measure(spec.shape, Font::mono, spec.font_size - 1.0F).width;
  }
  return std::max(title, measure(spec.formula, Font::mono, spec.font_size - 1.0F).width);
}

}  // namespace headscope::heatmap_metrics

namespace headscope {

/// Non-overlapping labels along one axis of a heatmap.
struct ChosenLabels {
  std::vector<AxisLabel> labels;
  float widest = 0.0F;
  LabelTurn turn = LabelTurn::flat;
};

/// The inputs for choosing the labels of an axis.
struct AxisLabelRequest {
  const AxisTexts& texts;     ///< The labels of the whole matrix. Empty for no labels.
  int first = 0, count = 0;   ///< The visible part.
  float cell = 0.0F;          ///< The distance between neighbouring labels.
  float size = 13.0F;         ///< The font size.
  float max_width = 100.0F;   ///< Longer labels are shortened.
  std::optional<int> marked;  ///< This label is always drawn.
};

/// Chooses row labels, which are horizontal and lie below each other.
ChosenLabels choose_row_labels(const AxisLabelRequest& source, const MeasureText& measure);

/// Chooses column labels, horizontal if all fit. Otherwise, ascending short numbers are thinned out. Other
/// labels are slanted if all fit so, and else written upwards and thinned out. If not even every tenth fits,
/// only the marked label is drawn. `only` settles how they are turned.
ChosenLabels choose_col_labels(const AxisLabelRequest& source, std::optional<LabelTurn> only,
                               const MeasureText& measure);

/// Rounds up to 1, 2, 5, 10, 20, 50 ….
int round_step(float step);

}  // namespace headscope
