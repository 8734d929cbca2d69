#pragma once

#include "app/parts/frame.h"

namespace headscope {

class App;

// Commands that change what the screen shows and what a click does.

/// Gives clicks this meaning, or restores their usual one.
void toggle_click_mode(App& app, ClickMode mode);
/// Does the same for covering cells, if there are any to cover.
void toggle_cover_mode(App& app);
/// Covers all numbers of the selected stage, or none.
void toggle_cover(App& app);
void toggle_controls(App& app);
/// Adds a sentence to those that are computed together, and lets one type it.
void add_sentence(App& app);
/// Whether the text can be changed.
bool takes_sentences(const App& app);
void toggle_inspector(App& app);
void toggle_motion(App& app);
/// Offers the sessions that killed programs have left, or hides them.
void show_kept_sessions(App& app);
void present(App& app);
/// Adds what is shown to the open lesson. If no lesson of the user's own is open, opens the sheet that begins
/// one.
void add_step_of_lesson(App& app);
/// Closes the lesson, and says where an author's own is kept.
void leave_lesson(App& app);
/// Reads the file of the lesson again, after it was changed in a text editor, and stays at its step.
void reload_lesson(App& app);
/// Makes a presentation black, or shows it again.
void black_out(App& app);
/// Escape undoes one thing at a time: a special meaning of clicks, then the pin, then another mode, then the
/// selected token.
void unpin(App& app);
void export_kind(App& app, ExportKind kind);
/// Opens the export sheet with this kind of file chosen.
void open_export_sheet(App& app, ExportKind kind);
void open_file_sheet(App& app);

}  // namespace headscope
