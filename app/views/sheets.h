#pragma once

#include "app/parts/frame.h"

namespace headscope {

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
