#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/theme.h"

namespace headscope {

/// The scores of a query and a key in one head.
struct HeadScore {
  double raw = 0.0;     ///< query · key
  double scaled = 0.0;  ///< what softmax is prepared from
  Color color;
};

/// A line a head, from head 0 on: "raw / √16 = scaled", and the scaled score as a bar from zero to the left
/// or the right.
struct HeadScoresSpec {
  std::vector<HeadScore> heads;
  std::string scaling;    ///< what is done to raw scores, " / √16"; empty: nothing
  bool is_scaled = true;  ///< false: there are raw scores alone, and `scaled` repeats them for the bars
  std::optional<int> chosen;
  std::optional<int> hovered;
};

float head_scores_height(const HeadScoresSpec& spec);
/// The line of a head, over the whole width.
Box head_score_box(int head, float width);
Figure draw_head_scores(const HeadScoresSpec& spec, float width, const Theme& theme,
                        const MeasureText& measure);

}  // namespace headscope
