#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/heatmap.h"

namespace headscope {

/// Non-overlapping labels along one axis of a heatmap.
struct ChosenLabels {
  std::vector<AxisLabel> labels;
  float widest = 0.0F;
  bool turned = false;
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

/// Chooses column labels, horizontal if all fit. Otherwise, ascending short numbers are thinned out, and
/// other labels are rotated by 45° and thinned out. If not even every tenth fits, only the marked label is
/// drawn. `may_turn` is false if there is not enough height for rotated labels.
ChosenLabels choose_col_labels(const AxisLabelRequest& source, bool may_turn, const MeasureText& measure);

/// Rounds up to 1, 2, 5, 10, 20, 50 ….
int round_step(float step);

}  // namespace headscope
