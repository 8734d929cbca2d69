#pragma once

#include <optional>

#include "app/parts/frame.h"
#include "app/parts/page_part.h"

namespace headscope {

/// The animation along an arrow of the model's diagram after a step.
struct DiagramAnimation {
  std::optional<StageId> last;  ///< the stage shown in the last frame
  int frame = -1;               ///< the number of that frame, as ImGui counts
  StageId from, to;
  double started_at = -1.0;  ///< ImGui's time in seconds; negative if nothing moves
  bool chosen = false;       ///< whether a part was chosen since the page was opened
};

// The view of each page, which draws it with its controls. Each fills the remaining room.

/// The view of a small head whose numbers are typed in their places.
void by_hand_view(Frame& frame);

/// The view with the held and the edited subjects side by side.
void compare_view(Frame& frame);

/// The view of a text that is decoded token by token with a cache.
void decoding_view(Frame& frame);

/// The view of each head's effect on a prediction, and of the interventions in the selected head.
void effects_view(Frame& frame);

/// The view with the token strip and its lines, small maps of all heads, and a large map of the chosen stage
/// of the chosen head.
void explore_view(Frame& frame);

/// The view of the chosen stage for all heads side by side.
void heads_view(Frame& frame);

/// The lessons of the program, each of which opens with a click, and the links for writing one's own lesson.
void lessons_view(Frame& frame);

/// The view with lines from every token to the tokens that it attends to.
void lines_view(Frame& frame);

/// The view of the architecture as a diagram. It has a box for every part of every layer, and a click on a
/// box leads to its stages. The boxes that the chosen stage was computed from are marked. While a difference
/// is shown, each box says how many of its rows have changed.
void model_view(Frame& frame);

/// The view of how the model knows the order of the words: the choice, a picture of the positions at any
/// size, the similarity of two positions, and the effect of the choice on the weights.
void positions_view(Frame& frame);

/// The view that explains why scores are divided by √d_head.
void scale_view(Frame& frame);

/// The view of how a row is split into heads: a worked example, and the query and key of the sentence's
/// tokens with what each head computes from them.
void split_view(Frame& frame);

/// The view with every stage of the chosen head on one page, in the order of computation.
void stages_view(Frame& frame);

/// The view of the worked examples: their list, and the chosen one with the printed numbers beside the
/// computed ones.
void textbooks_view(Frame& frame);

/// The view of a head's softmax, computed tile by tile.
void tiles_view(Frame& frame);

/// The view of a task's model as it learns: the task and the progress, the curves, the selected head as its
/// pattern forms, the desired words beside the predicted ones, and the gradient of any weight matrix.
void train_view(Frame& frame);

/// The view that plays how a row of attention is computed.
void watch_view(Frame& frame);

/// The view of what the model predicts: logits, probabilities, the ranked words after the selected token, and
/// the next word to continue with.
void words_view(Frame& frame);

/// The presented view: the page without its controls.
void presented_view(Frame& frame);

/// Scrolls once to a newly selected stage, if it is out of sight.
void scroll_to_stage(Frame& frame, const PageMouse& page);

}  // namespace headscope
