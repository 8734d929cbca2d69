#pragma once

#include "app/parts/export_request.h"

namespace headscope {

class App;

// Commands that change what the screen shows and how it takes a click. Only one of the modes that give a
// click another meaning is on at a time.

void toggle_paint(App& app);
void toggle_padding_clicks(App& app);
/// A click covers cells or uncovers them.
void toggle_cover_mode(App& app);
/// All numbers of the selected stage, or none.
void toggle_cover(App& app);
void toggle_controls(App& app);
void toggle_inspector(App& app);
void toggle_motion(App& app);
/// Offers what killed programs have left, or hides it.
void show_kept_sessions(App& app);
void present(App& app);
/// Escape takes back one thing at a time: a mode, then the pin, then the selected token.
void unpin(App& app);
void export_kind(App& app, ExportKind kind);

}  // namespace headscope
