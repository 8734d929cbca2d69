#pragma once

#include "app/parts/frame.h"

namespace headscope {

class App;

// Commands that change what the screen shows and what a click does.

/// Turns a click mode on or off.
void toggle_click_mode(App& app, ClickMode mode);
/// Turns covering by clicks on or off, if the page has cells to cover.
void toggle_cover_mode(App& app);
/// Covers all numbers of the selected stage, or none.
void toggle_cover(App& app);
void toggle_controls(App& app);
/// Adds a sentence to the batch and focuses its field.
void add_sentence(App& app);
/// Whether the text can be changed.
bool takes_sentences(const App& app);
void toggle_inspector(App& app);
void toggle_motion(App& app);
/// Shows or hides the sessions that can be recovered.
void show_recoverable_sessions(App& app);
void present(App& app);
/// Adds what is shown to the open lesson. If no lesson of the user's own is open, opens the sheet that begins
/// one.
void add_lesson_step(App& app);
/// Closes the lesson. Tells authors where theirs is kept.
void close_lesson(App& app);
/// Reads the file of the lesson again, after it was changed in a text editor, and stays at its step.
void reload_lesson(App& app);
/// Blanks the presentation, or shows it again.
void blank_screen(App& app);
/// Escape undoes one thing at a time: a special meaning of clicks, then the pin, then another mode, then the
/// selected token.
void unpin(App& app);
void export_kind(App& app, ExportKind kind);
/// Opens the export sheet with this kind of file chosen.
void open_export_sheet(App& app, ExportKind kind);
void open_file_sheet(App& app);

}  // namespace headscope
