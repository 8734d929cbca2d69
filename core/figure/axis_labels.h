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

/// What labels are chosen from.
struct AxisSource {
  const AxisTexts& texts;     ///< of the whole matrix; empty: no labels
  int first = 0, count = 0;   ///< the visible part
  float cell = 0.0F;          ///< from one label's place to the next
  float size = 13.0F;         ///< of the font
  float max_width = 100.0F;   ///< longer ones are shortened
  std::optional<int> marked;  ///< always labelled
};

/// Row labels: horizontal, one under the other.
ChosenLabels choose_row_labels(const AxisSource& source, const MeasureText& measure);

/// Column labels: horizontal where all fit beside each other; short ones (numbers) thinned out; others turned
/// by 45° and thinned out as far as every tenth, beyond which the marked one stands alone. `may_turn` is
/// false where no height is left for it.
ChosenLabels choose_col_labels(const AxisSource& source, bool may_turn, const MeasureText& measure);

/// The next number of 1, 2, 5, 10, 20, 50 … from `step` up.
int round_step(float step);

}  // namespace headscope
