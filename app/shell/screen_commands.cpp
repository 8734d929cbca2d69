#include "app/shell/screen_commands.h"

#include "app/parts/covered_cell.h"
#include "app/shell/app.h"

namespace headscope {

void toggle_paint(App& app) {
  app.screen().paint_mode = !app.screen().paint_mode;
  app.screen().padding_mode = false;
  app.screen().cover_mode = false;
}

void toggle_padding_clicks(App& app) {
  app.screen().padding_mode = !app.screen().padding_mode;
  app.screen().paint_mode = false;
  app.screen().cover_mode = false;
}

void toggle_controls(App& app) {
  bool& shown = app.screen().panels.has_controls;
  shown = !shown;
}

void toggle_inspector(App& app) {
  bool& shown = app.screen().panels.has_inspector;
  shown = !shown;
}

void toggle_motion(App& app) {
  bool& reduces = app.screen().reduces_motion;
  reduces = !reduces;
  app.say(reduces ? "Steps on the model's diagram are not animated"
                  : "Steps on the model's diagram are animated");
}

void present(App& app) {
  app.screen().presents = !app.screen().presents;
  app.screen().presented.reset();
}

/// Escape takes back one thing at a time: a mode, then the pin, then the selected token.
void unpin(App& app) {
  ScreenState& screen = app.screen();
  if (screen.presents) {
    screen.presents = false;
  } else if (screen.paint_mode || screen.padding_mode || screen.cover_mode) {
    screen.paint_mode = false;
    screen.cover_mode = false;
    screen.padding_mode = false;
  } else if (app.session().selection.pin) {
    app.apply(Unpin{});
  } else {
    app.apply(SelectToken{std::nullopt});
  }
}

void export_kind(App& app, ExportKind kind) {
  const ExportForm& form = app.screen().export_form;
  app.start_export({kind, static_cast<FigureFormat>(form.format), form.scale, form.folder});
}

void toggle_cover(App& app) {
  app.apply(SetCover{toggled_cover(app.session())});
}

void toggle_cover_mode(App& app) {
  app.screen().cover_mode = !app.screen().cover_mode;
  app.screen().paint_mode = false;
  app.screen().padding_mode = false;
}

}  // namespace headscope
