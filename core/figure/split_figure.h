#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/theme.h"
#include "core/model/attention.h"
#include "core/trace/picture_options.h"

namespace headscope {

/// Draws a query and a key that are short enough to print as boxes with their numbers, and a bracket for each
/// head. Below, each head's products, their sum and, if `divides`, the sum divided by √d_head, as before
/// softmax. The colours of `picture` distinguish the heads. The figure is as large as its contents.
Figure draw_split(const std::vector<HeadSlice>& heads, const PictureOptions& picture, bool divides,
                  const Theme& theme, const MeasureText& measure);

/// The scores of a query and a key as a list with one line per head from head 0 on: "raw / √16 = scaled", and
/// the scaled score as a bar from zero to the left or right.
struct HeadScoresSpec {
  std::vector<double> raw;     ///< query · key
  std::vector<double> scaled;  ///< The scores before masking and softmax. Empty if they are the raw ones.
  std::string scaling;         ///< How raw scores are scaled: " / √16". Empty if they are not.
  std::optional<int> chosen;
  PictureOptions picture = {};  ///< The options whose colours distinguish the heads.
};

float head_scores_height(const HeadScoresSpec& spec);
/// The line of a head over the full width.
Box head_score_box(int head, float width);
Figure draw_head_scores(const HeadScoresSpec& spec, float width, const Theme& theme,
                        const MeasureText& measure);

}  // namespace headscope
