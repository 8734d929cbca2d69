#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/theme.h"

namespace headscope {

/// The score of a query and a key in one head.
struct HeadScore {
  double raw = 0.0;     ///< query · key
  double scaled = 0.0;  ///< The score before masking and softmax.
  Color color;
};

/// A list with one line per head from head 0 on: "raw / √16 = scaled", and the scaled score as a bar from
/// zero to the left or right.
struct HeadScoresSpec {
  std::vector<HeadScore> heads;
  std::string scaling;    ///< How raw scores are scaled: " / √16". Empty if they are not.
  bool is_scaled = true;  ///< False if there are only raw scores, which `scaled` then repeats.
  std::optional<int> chosen;
  std::optional<int> hovered;
};

float head_scores_height(const HeadScoresSpec& spec);
/// The line of a head over the full width.
Box head_score_box(int head, float width);
Figure draw_head_scores(const HeadScoresSpec& spec, float width, const Theme& theme,
                        const MeasureText& measure);

}  // namespace headscope
