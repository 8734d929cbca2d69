#pragma once

#include "app/parts/frame.h"

namespace headscope {

class App;

// Commands that change what the screen shows and how it takes a click.

/// A click means this, or again what it usually means.
void toggle_click_mode(App& app, ClickMode mode);
/// The same for covering cells, where there are any to cover.
void toggle_cover_mode(App& app);
/// All numbers of the selected stage, or none.
void toggle_cover(App& app);
void toggle_controls(App& app);
void toggle_inspector(App& app);
void toggle_motion(App& app);
/// Offers what killed programs have left, or hides it.
void show_kept_sessions(App& app);
void present(App& app);
/// Escape takes back one thing at a time: what a click does, then the pin, then another mode, then the
/// selected token.
void unpin(App& app);
void export_kind(App& app, ExportKind kind);
/// The sheet, with this kind of file chosen.
void open_export_sheet(App& app, ExportKind kind);
void open_file_sheet(App& app);

}  // namespace headscope
