#include "app/shell/screen_commands.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "app/parts/map_mouse.h"
#include "app/parts/messages.h"
#include "app/shell/app.h"
#include "app/shell/commands.h"
#include "app/shell/folders.h"
#include "core/engine/opening.h"
#include "core/page/page_record.h"
#include "core/session/settings.h"

namespace headscope {

void toggle_click_mode(App& app, ClickMode mode) {
  ScreenState& screen = app.screen();
  screen.click_mode = screen.is(mode) ? std::nullopt : std::optional(mode);
}

void toggle_controls(App& app) {
  ScreenState& screen = app.screen();
  bool& shown = screen.has_controls(app.scene().lesson.has_value());
  shown = !shown;
}

bool takes_sentences(const App& app) {
  const Session& session = app.session();
  return page_record(session.view).shows_session_pass && !(session.model && session.model->is_capture());
}

void add_sentence(App& app) {
  std::vector<std::string> more = app.session().batch;
  if (more.empty()) more.push_back(app.session().sentence);
  more.push_back(app.session().sentence);
  const int added = static_cast<int>(more.size()) - 1;
  app.apply(SetBatch{more});
  app.apply(set_to("sequence", added));
  app.screen().focus_sentence = app.screen().replaces_sentence = true;
}

void toggle_inspector(App& app) {
  bool& shown = app.screen().panels.has_inspector;
  shown = !shown;
}

void toggle_motion(App& app) {
  bool& reduces = app.screen().reduces_motion;
  reduces = !reduces;
  app.notify(reduces ? "Steps on the model's diagram are not animated"
                     : "Steps on the model's diagram are animated");
}

void show_recoverable_sessions(App& app) {
  bool& offers = app.screen().offers_recovery;
  if (app.screen().recoverable_sessions->empty()) return app.notify("No session was kept after a crash");
  offers = !offers;
}

namespace {

/// Restores the stage, head and pin from before the presentation, in which the arrow keys may have moved far.
/// Keeps what was pinned or opened meanwhile.
void return_from_presentation(App& app) {
  const std::optional<Session> before = std::exchange(app.screen().before_presenting, std::nullopt);
  if (!before || app.scene().lesson) return;
  const Session& now = app.session();
  const Selection& then = before->selection;
  const bool is_same = now.sentence == before->sentence && now.target == before->target &&
                       now.architecture == before->architecture && now.model == before->model;
  const bool has_other_pin = now.selection.pin && now.selection.pin != then.pin;
  if (!is_same || has_other_pin) return;
  app.apply(SelectPlace{then.stack, then.layer, then.attention});
  app.apply(SelectHead{then.head});
  app.apply(SelectStage{then.stage});
  if (then.pin) app.apply(PinCell{*then.pin});
}

}  // namespace

void present(App& app) {
  ScreenState& screen = app.screen();
  screen.presents = !screen.presents;
  screen.presented.reset();
  screen.is_black = false;
  screen.strokes.clear();
  if (screen.presents) {
    screen.before_presenting = app.session();
  } else {
    return_from_presentation(app);
  }
}

void add_lesson_step(App& app) {
  // A reader of a lesson has no use for the list of lessons.
  if (app.session().view == PageName::lessons) app.apply(SetView{app.screen().last_view});
  const auto& lesson = app.scene().lesson;
  if (lesson && !lesson->walk.lesson->file.empty()) return app.dispatch(AddStep{});
  StepForm& form = app.screen().step_form;
  if (!form.begins) form = {};
  form.begins = true;
  form.open = form.takes_focus = true;
  form.lesson = lesson ? lesson->walk.lesson : nullptr;
}

void reload_lesson(App& app) {
  const auto& lesson = app.scene().lesson;
  if (!lesson || lesson->walk.lesson->file.empty())
    return app.notify("Only a lesson that was opened from a file can be read again");
  app.dispatch(OpenLesson{lesson->walk.lesson->file, lesson->walk.step});
}

void close_lesson(App& app) {
  const auto& lesson = app.scene().lesson;
  const std::string file = lesson && lesson->is_edited ? lesson->walk.lesson->file : "";
  if (!file.empty()) app.notify("Your lesson is kept in " + file + ". The page Lessons lists it.");
  app.dispatch(CloseLesson{});
}

void blank_screen(App& app) {
  ScreenState& screen = app.screen();
  screen.is_black = screen.presents && !screen.is_black;
}

void unpin(App& app) {
  ScreenState& screen = app.screen();
  if (screen.is_black) {
    screen.is_black = false;
  } else if (screen.presents) {
    present(app);
  } else if (screen.click_mode) {
    screen.click_mode.reset();
  } else if (app.session().selection.pin) {
    app.apply(Unpin{});
  } else if (!app.session().selection.picked.tokens.empty()) {
    app.apply(PickTokens{});
  } else if (const Mode* mode = mode_of(app.session(), screen)) {
    app.run(mode->ends);
    app.notify(mode->ended);
  } else if (const auto token = token_of_interest(app.session())) {
    // A picture shows more if the row that the task is about is selected.
    app.apply(SelectToken{token});
  }
}

void export_kind(App& app, ExportKind kind) {
  const ExportForm& form = app.screen().export_form;
  app.start_export({.kind = kind,
                    .format = static_cast<FigureFormat>(form.format),
                    .scale = form.scale,
                    .folder = form.folder});
}

void open_export_sheet(App& app, ExportKind kind) {
  ExportForm& form = app.screen().export_form;
  form.what = static_cast<int>(kind);
  form.open = true;
}

/// Opens the system's dialog, or else the sheet, on the folder where scenes are saved and pictures exported.
void open_file_sheet(App& app) {
  if (app.ask_for_files()) return;
  OpenForm& form = app.screen().open_form;
  if (form.folder.empty()) form.folder = app.screen().export_form.folder;
  form.open = true;
}

namespace {

/// Whether no cell of the view can be covered, which it reports.
bool is_without_covers(App& app) {
  if (page_record(app.session().view).can_cover) return false;
  app.notify("Nothing can be covered here: cover numbers in Map, Step by step or Overview");
  return true;
}

}  // namespace

void toggle_cover(App& app) {
  const Session& session = app.session();
  // On a page without cells to cover, a cover elsewhere may keep the page from being shown, so it is removed.
  const bool uncovers = session.cover.stage && !page_record(session.view).can_cover;
  const Cover cover = uncovers ? Cover{} : toggled_cover(session);
  if (cover.stage && is_without_covers(app)) return;
  app.apply(SetCover{cover});
  if (cover.stage) app.notify("Covered: point at a cell and type its number, or click to see it");
}

void toggle_cover_mode(App& app) {
  if (!app.screen().is(ClickMode::covering) && is_without_covers(app)) return;
  toggle_click_mode(app, ClickMode::covering);
}

}  // namespace headscope
