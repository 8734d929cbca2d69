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

/// The view of which experts take which words, in the selected layer and in all layers.
void experts_view(Frame& frame);

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

// The parts of the window that surround a page.

/// The bar with the program's name, the workspaces, and the commands that affect everything: find, undo,
/// compare, present and export. A narrow bar leaves out what a menu or a key also offers.
void top_bar(Frame& frame);

/// The sentence in a large field, with the target below it if there are two stacks, the sentences of a batch,
/// the number of tokens and the time of the pass, and the time line of what was pushed.
void sentence_bar(Frame& frame);

/// The height in ImGui pixels, with additional lines for a target and for a time line.
float sentence_bar_height(const Frame& frame);

/// Draws the tabs of the views in the open workspace. The cursor is then at the beginning of the rest of
/// their line.
void view_bar(Frame& frame);
/// The height of that line in design units.
inline constexpr float view_bar_height = 32.0F;

/// Shows the state of the window in the rest of the line of views: the first message with its links, the
/// number of further messages, and at the right end a chip for each mode. The line always has the same
/// height, so nothing below it moves. Whatever does not fit can be opened with a click.
void message_line(Frame& frame);

/// A menu of the views in the open workspace, for a window that has no room for their tabs. Draws nothing if
/// there is one view. Returns the width in ImGui pixels.
float view_menu(Frame& frame);
/// Whether the state of the window has to be shown by message_line().
bool has_message_line(Frame& frame);

/// The headline: the view's question, and its answer for the selection, in the largest letters in which all
/// of it fits. While a lesson asks a question, the answer is hidden.
void headline_row(Frame& frame);
/// The height of the headline over a width, both in ImGui pixels. It is the same for all texts, so that
/// nothing moves with them.
float headline_height(const Ui& ui, float width);

/// The height of first_minute_row() in a space of this size, in ImGui pixels. 0 if there is nothing to show
/// or it does not fit.
float first_minute_height(const Frame& frame, ImVec2 room);

/// Cards that guide a new user through the first steps, at ImGui's cursor. A card is ticked when its step is
/// done, and can be dismissed.
void first_minute_row(Frame& frame, float width);

/// The number of settings that differ from the initial ones of the model or starting point.
std::size_t n_changed_settings(Frame& frame);

/// All settings: architecture, masks, attention and picture, with a section for each. The caller opens the
/// column.
void controls_view(Frame& frame);

/// The text of the lesson's step with its question, and the buttons that lead on. Needs a lesson.
void lesson_panel(Frame& frame);

/// The same for an audience, in the largest letters in which every step of the lesson fits. It scrolls if
/// even the smallest do not. Needs a lesson.
void presented_step(Frame& frame, ImVec2 size);

/// The inspector of the pinned or hovered cell: how its number was computed, what the selected token attends
/// to, and the variance before and after scaling. The caller opens the column.
void inspector_view(Frame& frame);

/// The status line: how to read the pictures, and what they were computed with.
void status_bar(Frame& frame, int n_threads);

// Modal sheets. Each draws nothing while it is closed.

/// The sheet that exports what is on the screen: the figure, the window or the numbers. It is open while its
/// form says so.
void export_sheet(Frame& frame);

/// The sheet with everything that the task of the session's model knows: sentences to choose from, and its
/// words by kind.
void known_words_sheet(Frame& frame);

/// The sheet for the weights of an attention module that was dropped on the window. It asks for the number of
/// heads, which no file states, and for the format if the names in the file do not reveal it.
void module_sheet(Frame& frame);

/// The sheet that opens a scene, a figure, a model, a mask or an attention module.
void open_sheet(Frame& frame);

/// The sheet that finds anything by its name and runs it.
void palette_sheet(Frame& frame);

/// The sheet that searches the sentences of a text file by what the selected head attends to.
void search_sheet(Frame& frame);

/// The sheet in which an author edits a step of a lesson.
void step_sheet(Frame& frame);

}  // namespace headscope
