#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/heatmap.h"

namespace headscope {

/// The labels along one axis of a heatmap, chosen so that none overlaps the next.
struct ChosenLabels {
  std::vector<AxisLabel> labels;
  float widest = 0.0F;
  bool turned = false;
};

/// What the labels of an axis are chosen from.
struct AxisSource {
  const AxisTexts& texts;     ///< The labels of the whole matrix. If empty, no labels are drawn.
  int first = 0, count = 0;   ///< The visible part.
  float cell = 0.0F;          ///< The distance between neighbouring labels.
  float size = 13.0F;         ///< The font size.
  float max_width = 100.0F;   ///< Longer labels are shortened.
  std::optional<int> marked;  ///< This label is always drawn.
};

/// Chooses row labels, which are horizontal and lie below each other.
ChosenLabels choose_row_labels(const AxisSource& source, const MeasureText& measure);

/// Chooses column labels. They are horizontal if all fit beside each other. Otherwise, short numbers that
/// count up are thinned out, and other labels are turned by 45° and thinned out. If not even every tenth
/// would fit, only the marked label is drawn. `may_turn` is false if there is not enough height for turned
/// labels.
ChosenLabels choose_col_labels(const AxisSource& source, bool may_turn, const MeasureText& measure);

/// The smallest of the numbers 1, 2, 5, 10, 20, 50 … that is at least `step`.
int round_step(float step);

}  // namespace headscope
