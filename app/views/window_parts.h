#pragma once

#include "app/parts/frame.h"

namespace headscope {

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

/// The headline: the view's question, and its answer for the selection. Sentences that do not fit move to a
/// tooltip. While a lesson asks a question, the answer is hidden.
void headline_row(Frame& frame);
/// The height of that line in design units.
inline constexpr float headline_height = 34.0F;

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

/// The same for an audience, in the largest letters that fit. It scrolls if even the smallest do not. Needs a
/// lesson.
void presented_step(Frame& frame, ImVec2 size);

/// The inspector of the pinned or hovered cell: how its number was computed, what the selected token attends
/// to, and the variance before and after scaling. The caller opens the column.
void inspector_view(Frame& frame);

/// The status line: how to read the pictures, and what they were computed with.
void status_bar(Frame& frame, int n_threads);

}  // namespace headscope
