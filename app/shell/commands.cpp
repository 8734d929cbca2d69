#include "app/shell/commands.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include "app/parts/map_mouse.h"
#include "app/parts/messages.h"
#include "app/parts/number_editor.h"
#include "app/parts/stage_picker.h"
#include "app/parts/training_status.h"
#include "app/shell/app.h"
#include "app/shell/moves.h"
#include "app/shell/view_record.h"
#include "core/engine/opening.h"
#include "core/lesson/lesson.h"
#include "core/lesson/read_lesson.h"
#include "core/model/interventions.h"
#include "core/page/page_record.h"
#include "core/session/names.h"
#include "core/session/settings.h"
#include "core/system/process.h"

namespace headscope {
namespace {

using namespace chords;

/// Trains. If that would replace trained weights, asks first on the page Train, if that can be shown.
void train_or_confirm(App& app, CommandId order, const Event& trains) {
  const bool can_confirm = is_enabled(app, PageName::train) && !app.screen().presents;
  if (!can_confirm || !drops_trained_weights(app.session(), app.scene().training.progress))
    return app.dispatch(trains);
  app.screen().retrain_confirmation = {order, true};
  app.screen().column = 0;
  app.apply(SetView{PageName::train});
}

/// Toggles a setting. A setting of a mask is that of the selected attention.
void toggle_setting(App& app, const Setting& setting) {
  const Session& session = app.session();
  const Setting& flipped = of_selected_mask(session, setting);
  const auto* named = std::get_if<field::NamedFlag>(&flipped.field);
  const Accessor<bool>& value = named != nullptr ? named->value : std::get<field::Flag>(flipped.field).value;
  app.apply(ChangeSettings{{{flipped.key, !value.read(session)}}});
}

void toggle_head_off(App& app) {
  const Session& session = app.session();
  HeadChange change = change_of(session.interventions, head_of(session.selection.at(StageKind::weights)));
  change.scale = change.scale == 0.0F ? 1.0F : 0.0F;
  app.apply(set_interventions(with_change(session.interventions, change)));
}

void edit_numbers(App& app) {
  if (const auto stage = stage_to_edit(app.session())) return open_number_editor(app.screen(), *stage);
  app.notify("Select a weight or bias, the input, queries, keys, values or raw scores to edit their numbers");
}

void toggle_theme(App& app) {
  const bool is_light = app.session().picture.theme == ThemeName::light;
  app.apply(set_to("picture.theme", is_light ? ThemeName::dark : ThemeName::light));
}

void new_seed(App& app) {
  if (!app.session().task.empty()) {
    return app.notify(
        "A new seed would retrain this model: set it on the Train page, or choose Untrained first");
  }
  app.apply(set_to("architecture.seed", static_cast<double>(app.session().architecture.seed + 1)));
}

bool has_lesson(const App& app) {
  return app.scene().lesson.has_value();
}

bool presents(const App& app) {
  return app.screen().presents;
}

/// Turns a click mode on or off.
void toggle_click_mode(App& app, ClickMode mode) {
  ScreenState& screen = app.screen();
  screen.click_mode = screen.is(mode) ? std::nullopt : std::optional(mode);
}

/// Whether the text can be changed.
bool takes_sentences(const App& app) {
  const Session& session = app.session();
  return page_record(session.view).shows_session_pass && !(session.model && session.model->is_capture());
}

/// Adds a sentence to the batch and focuses its field.
void add_sentence(App& app) {
  std::vector<std::string> more = app.session().batch;
  if (more.empty()) more.push_back(app.session().sentence);
  more.push_back(app.session().sentence);
  const int added = static_cast<int>(more.size()) - 1;
  app.apply(SetBatch{more});
  app.apply(set_to("sequence", added));
  app.screen().focus_sentence = app.screen().replaces_sentence = true;
}

void toggle_motion(App& app) {
  bool& reduces = app.screen().reduces_motion;
  reduces = !reduces;
  app.notify(reduces ? "Steps on the model's diagram are not animated"
                     : "Steps on the model's diagram are animated");
}

/// Shows or hides the sessions that can be recovered.
void show_recoverable_sessions(App& app) {
  bool& offers = app.screen().offers_recovery;
  if (app.screen().recoverable_sessions->empty()) return app.notify("No session was kept after a crash");
  offers = !offers;
}

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
  app.apply(select_place(then.stack, then.layer, then.attention));
  app.apply(select_head(then.head));
  app.apply(select_stage(then.stage));
  if (then.pin) app.apply(PinCell{*then.pin});
}

void present(App& app) {
  ScreenState& screen = app.screen();
  screen.presents = !screen.presents;
  screen.presented.reset();
  screen.is_black = false;
  screen.strokes.clear();
  if (screen.presents) {
    screen.before_presenting = app.session();
    screen.presents_from_top = true;
    // The decoding page stands at its last token by default.
    if (!app.scene().lesson && app.session().view == PageName::decoding)
      app.apply(set_to("decoding.step", 1));
  } else {
    return_from_presentation(app);
  }
}

/// Adds what is shown to the open lesson. If no lesson of the user's own is open, opens the sheet that begins
/// one.
void add_lesson_step(App& app) {
  // A reader of a lesson has no use for the list of lessons.
  if (app.session().view == PageName::lessons) app.apply(SetView{app.screen().last_view});
  const auto& lesson = app.scene().lesson;
  if (lesson && !lesson->walk.lesson->file.empty()) return app.dispatch(SceneOrder::add_step);
  StepForm& form = app.screen().step_form;
  if (!form.begins) form = {};
  form.begins = true;
  form.open = form.takes_focus = true;
  form.lesson = lesson ? lesson->walk.lesson : nullptr;
}

/// Reads the file of the lesson again, after it was changed in a text editor, and stays at its step.
void reload_lesson(App& app) {
  const auto& lesson = app.scene().lesson;
  if (!lesson || lesson->walk.lesson->file.empty())
    return app.notify("Only a lesson that was opened from a file can be read again");
  app.dispatch(OpenLesson{lesson->walk.lesson->file, lesson->walk.step});
}

/// Closes the lesson. Tells authors where theirs is kept.
void close_lesson(App& app) {
  const auto& lesson = app.scene().lesson;
  const std::string file = lesson && lesson->is_edited ? lesson->walk.lesson->file : "";
  if (!file.empty()) app.notify("Your lesson is kept in " + file + ". The page Lessons lists it.");
  app.dispatch(SceneOrder::close_lesson);
}

/// Escape undoes one thing at a time: a special meaning of clicks, then the pin, then another mode, then the
/// selected token.
void unpin(App& app) {
  ScreenState& screen = app.screen();
  if (screen.is_black) {
    screen.is_black = false;
  } else if (screen.presents) {
    present(app);
  } else if (screen.click_mode) {
    screen.click_mode.reset();
  } else if (app.session().selection.pin) {
    app.apply(set_selected(&Selection::pin, {}));
  } else if (!app.session().selection.picked.tokens.empty()) {
    app.apply(set_selected(&Selection::picked, {}));
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
  app.start_export({.kind = kind, .format = form.format, .scale = form.scale, .folder = form.folder});
}

/// Opens the system's dialog, or else the sheet, on the folder where scenes are saved and pictures exported.
void open_file_sheet(App& app) {
  if (app.ask_for_files()) return;
  OpenForm& form = app.screen().open_form;
  if (form.folder.empty()) form.folder = app.screen().export_form.folder;
  form.open = true;
}

/// Whether no cell of the view can be covered, which it reports.
bool is_without_covers(App& app) {
  if (page_record(app.session().view).can_cover) return false;
  app.notify("Nothing can be covered here: cover numbers in Map, Step by step or Overview");
  return true;
}

/// Covers all numbers of the selected stage, or none.
void toggle_cover(App& app) {
  const Session& session = app.session();
  // On a page without cells to cover, a cover elsewhere may keep the page from being shown, so it is removed.
  const bool uncovers = session.cover.stage && !page_record(session.view).can_cover;
  const Cover cover = uncovers ? Cover{} : toggled_cover(session);
  if (cover.stage && is_without_covers(app)) return;
  app.apply(set_cover(cover));
  if (cover.stage) app.notify("Covered: point at a cell and type its number, or click to see it");
}

/// Turns covering by clicks on or off, if the page has cells to cover.
void toggle_cover_mode(App& app) {
  if (!app.screen().is(ClickMode::covering) && is_without_covers(app)) return;
  toggle_click_mode(app, ClickMode::covering);
}

/// A command that toggles a setting.
constexpr Command toggle_command(SettingKey setting, CommandId id, const char* group, std::string_view name,
                                 Chord chord, std::string_view keywords = {}) {
  return {id, group, name, chord, false, nullptr, keywords, nullptr, std::nullopt, setting.record};
}

constexpr const char* file = "File";
constexpr const char* edit = "Edit";
constexpr const char* look = "Navigate";
constexpr const char* pages = "Pages";
constexpr const char* model = "Model";
constexpr const char* change = "Change";
constexpr const char* window = "Window";

constexpr std::array
    own_commands{
        Command{CommandId::undo, edit, "Undo", ctrl(Key::z), true, [](App& app) { app.undo(); }, "",
                [](const App& app) { return app.can_undo(); }},
        Command{CommandId::redo, edit, "Redo", ctrl_shift(Key::z), true, [](App& app) { app.redo(); }, "",
                [](const App& app) { return app.can_redo(); }, ctrl(Key::y)},
        Command{CommandId::edit_sentence, edit, "Edit the sentence", alt(Key::s), false,
                [](App& app) { app.screen().focus_sentence = true; }, "",
                [](const App& app) { return page_record(app.session().view).shows_session_pass; }},
        Command{CommandId::add_sentence, edit, "Add a sentence, computed together with this one",
                alt_shift(Key::n), false, add_sentence, "batch several sentences padding padded",
                takes_sentences},
        Command{CommandId::copy_figure, edit, "Copy the figure as a picture", ctrl(Key::c), false,
                [](App& app) { app.start_copy(CopyKind::figure); }, "clipboard image slide"},
        Command{CommandId::copy_numbers, edit, "Copy the stage's numbers as a table", ctrl_shift(Key::c),
                false, [](App& app) { app.start_copy(CopyKind::numbers); }},
        Command{CommandId::copy_link, edit, "Copy a link to what you see", ctrl_alt(Key::c), false,
                [](App& app) { app.start_copy(CopyKind::link); }, "share send url address",
                [](const App&) { return !has_visible_folders(); }},
        Command{CommandId::open_file, file, "Open a scene, a lesson, a figure or a model…", ctrl(Key::o),
                false, open_file_sheet,
                "file folder load checkpoint recent capture captured attention python gguf"},
        Command{CommandId::save_scene, file, "Save the scene", ctrl(Key::s), false,
                [](App& app) { app.save_scene(); }, "keep state session title note"},
        Command{CommandId::save_scene_as, file, "Save the scene as another file…", ctrl_alt(Key::s), false,
                [](App& app) { app.screen().export_form.show(ExportKind::scene); },
                "copy duplicate state session"},
        Command{CommandId::export_sheet, file, "Export…", ctrl(Key::e), false,
                [](App& app) { app.screen().export_form.open = true; },
                "png svg pdf slide 16:9 picture image save figure poster paper command options script"},
        Command{CommandId::export_figure, file, "Export the figure now", ctrl_shift(Key::e), false,
                [](App& app) { export_kind(app, ExportKind::figure); }},
        Command{CommandId::export_worksheet, file, "Export a worksheet and its solution", ctrl_shift(Key::p),
                false, [](App& app) { export_kind(app, ExportKind::worksheet); }, "exercise paper sheet"},
        Command{CommandId::export_window, file, "Export the window now", ctrl_shift(Key::w), false,
                [](App& app) { export_kind(app, ExportKind::window); }},
        Command{CommandId::export_csv, file, "Export the stage as CSV", ctrl_shift(Key::s), false,
                [](App& app) { export_kind(app, ExportKind::csv); }},
        Command{CommandId::export_npy, file, "Export the stage as NPY", ctrl_shift(Key::n), false,
                [](App& app) { export_kind(app, ExportKind::npy); }, "numpy python array"},
        Command{CommandId::palette, look, "Find anything by its name", ctrl(Key::k), false,
                [](App& app) {
                  app.screen().palette = {true, "", palette_of(app)};
                }},
        Command{CommandId::known_words, look, "What the model knows, with examples", alt(Key::k), false,
                [](App& app) {
                  app.screen().known_words = {true, ""};
                }},
        Command{CommandId::search_sentences, look, "Search sentences for what this head looks at",
                ctrl(Key::f), false, [](App& app) { app.screen().search.open = true; },
                "find text file corpus examples where does the head look most"},
        Command{CommandId::open_pronouns, model, "Pronouns, trained", ctrl_shift(Key::digit_1), false,
                [](App& app) { app.dispatch(OpenBundled{"pronouns"}); }},
        Command{CommandId::open_stories, model, "Stories, trained: it writes English",
                ctrl_shift(Key::digit_4), false, [](App& app) { app.dispatch(OpenBundled{"stories"}); },
                "language model text english tinystories"},
        Command{CommandId::open_copying, model, "Copying, trained", ctrl_shift(Key::digit_2), false,
                [](App& app) { app.dispatch(OpenBundled{"copying"}); }},
        Command{CommandId::open_reversing, model, "Reversing, trained", ctrl_shift(Key::digit_3), false,
                [](App& app) { app.dispatch(OpenBundled{"reversing"}); }},
        Command{CommandId::open_untrained, model, "Untrained: random weights", ctrl_shift(Key::digit_0),
                false, [](App& app) { app.dispatch(OpenBundled{}); }},
        Command{CommandId::train, model, "Train or pause", alt_shift(Key::t), false,
                [](App& app) { train_or_confirm(app, CommandId::train, SceneOrder::toggle_training); }},
        Command{CommandId::train_step, model, "Train one step", alt(Key::period), true,
                [](App& app) { train_or_confirm(app, CommandId::train_step, SceneOrder::step_training); }},
        Command{CommandId::show_latest_weights, model, "Show the latest weights", alt_shift(Key::period),
                false, [](App& app) { app.dispatch(SceneOrder::follow_newest); }},
        Command{CommandId::play_film, model, "Play the training as a film", alt_shift(Key::f), false,
                [](App& app) { app.toggle_film(); }},
        Command{CommandId::train_reset, model, "Reset to random weights", alt_shift(Key::r), false,
                [](App& app) { app.dispatch(SceneOrder::reset_training); }},
        Command{CommandId::previous_head, look, "Previous head", shift(Key::page_up), true,
                [](App& app) { move_head(app, -1); }},
        Command{CommandId::next_head, look, "Next head", shift(Key::page_down), true,
                [](App& app) { move_head(app, 1); }},
        Command{CommandId::head_left, look, "Head to the left (Heads)", plain(Key::left), true,
                [](App& app) { move_on_heads(app, -1, 0); }},
        Command{CommandId::head_right, look, "Head to the right (Heads)", plain(Key::right), true,
                [](App& app) { move_on_heads(app, 1, 0); }},
        Command{CommandId::head_above, look, "Head above (Heads)", plain(Key::up), true,
                [](App& app) { move_on_heads(app, 0, -1); }},
        Command{CommandId::head_below, look, "Head below (Heads)", plain(Key::down), true,
                [](App& app) { move_on_heads(app, 0, 1); }},
        Command{CommandId::previous_stage, look, "Step back through the pass", alt(Key::left), true,
                [](App& app) { move_stage(app, -1); }},
        Command{CommandId::next_stage, look, "Step forward through the pass", alt(Key::right), true,
                [](App& app) { move_stage(app, 1); }},
        Command{CommandId::previous_layer, look, "Previous layer", plain(Key::page_up), true,
                [](App& app) { move_layer(app, -1); }},
        Command{CommandId::next_layer, look, "Next layer", plain(Key::page_down), true,
                [](App& app) { move_layer(app, 1); }},
        Command{CommandId::next_attention, look, "Encoder, decoder, cross-attention", alt(Key::a), false,
                next_attention},
        Command{CommandId::previous_token, look, "Previous token", alt(Key::up), true,
                [](App& app) { move_token(app, -1); }},
        Command{CommandId::next_token, look, "Next token", alt(Key::down), true,
                [](App& app) { move_token(app, 1); }},
        Command{CommandId::unpin, look, "Unpin or leave a mode", plain(Key::escape), false, unpin},
        toggle_command("attention.causal", CommandId::toggle_causal, change, "Causal mask", alt(Key::c),
                       "future decoder triangle hide later why mask"),
        toggle_command("difference", CommandId::toggle_difference, change,
                       "Show the difference until switched off", alt_shift(Key::d),
                       "compare minus from A or from before"),
        Command{CommandId::hold, change, "Keep this as A, to compare with it", alt(Key::h), false,
                [](App& app) { app.apply(SetCompared{}); }, "side by side two hold"},
        Command{CommandId::release, change, "Stop comparing", alt_shift(Key::h), false,
                [](App& app) { app.apply(clear_compared()); }},
        Command{CommandId::swap_subjects, change, "Swap A and B", alt(Key::x), false,
                [](App& app) { app.apply(SwapCompared{}); }},
        Command{CommandId::toggle_head_off, change, "Switch the head off or on", alt(Key::o), false,
                toggle_head_off, "ablate knock out remove"},
        Command{CommandId::edit_numbers, change, "Edit the numbers by hand", alt(Key::g), false, edit_numbers,
                "own numbers edit Q K V W matrix type paste"},
        Command{CommandId::toggle_paint, change, "Paint the mask", alt(Key::p), false,
                [](App& app) { toggle_click_mode(app, ClickMode::painting); }},
        Command{CommandId::toggle_cover, change, "Cover the numbers, or show them", alt(Key::w), false,
                toggle_cover, "exercise hide quiz"},
        Command{CommandId::toggle_cover_mode, change, "Choose covered cells", alt_shift(Key::w), false,
                toggle_cover_mode},
        Command{CommandId::toggle_padding_clicks, change, "Pad by clicking tokens", alt_shift(Key::p), false,
                [](App& app) { toggle_click_mode(app, ClickMode::padding); }},
        toggle_command("attention.train", CommandId::toggle_train, change, "Dropout (train)", alt(Key::t)),
        Command{CommandId::new_seed, change, "New seed", alt(Key::r), false, new_seed,
                "random weights again"},
        toggle_command("picture.numbers", CommandId::toggle_numbers, change, "Numbers in cells", alt(Key::n),
                       "digits values"),
        Command{CommandId::toggle_theme, window, "Light or dark theme", ctrl(Key::t), false, toggle_theme,
                "dark light mode"},
        Command{CommandId::present, window, "Present: ← → step through the page, Esc leaves", plain(Key::f5),
                false, present, "slide show projector lecture full screen"},
        Command{CommandId::blank_screen, window, "Black screen while presenting, or the page again",
                plain(Key::b), false,
                [](App& app) { app.screen().is_black = app.screen().presents && !app.screen().is_black; },
                "blank pause lecture", presents, plain(Key::period)},
        Command{CommandId::next_presented, window, "Next step of what is presented", alt(Key::page_down),
                true, [](App& app) { move_presented(app, 1); }, "", presents},
        Command{CommandId::previous_presented, window, "Previous step of what is presented",
                alt(Key::page_up), true, [](App& app) { move_presented(app, -1); }, "", presents},
        Command{CommandId::next_lesson_step, look, "Next step of the lesson", plain(Key::f8), true,
                [](App& app) { move_lesson(app, 1); }, "lesson teach course", has_lesson},
        Command{CommandId::previous_lesson_step, look, "Previous step of the lesson", plain(Key::f7), true,
                [](App& app) { move_lesson(app, -1); }, "lesson teach course", has_lesson},
        Command{CommandId::restore_lesson_step, look, "Restore what this step of the lesson shows",
                plain(Key::f6), false, [](App& app) { app.dispatch(SceneOrder::restore_step_scene); },
                "lesson teach scene again", has_lesson},
        Command{CommandId::add_lesson_step, file, "Add this as a step of your lesson", ctrl_shift(Key::a),
                false, add_lesson_step, "make own lesson teach author write"},
        Command{CommandId::reload_lesson, file, "Read the lesson's file again", plain(Key::f9), false,
                reload_lesson, "make own lesson teach author write", has_lesson},
        Command{CommandId::close_lesson, look, "Close the lesson", ctrl_shift(Key::l), false, close_lesson,
                "end exit lesson", has_lesson},
        toggle_command("picture.fits_diagram", CommandId::fit_diagram, look,
                       "Fit the whole diagram into the page, or read it (Model)", alt(Key::f)),
        Command{CommandId::toggle_motion, window, "Animate steps on the diagram, or not", alt_shift(Key::m),
                false, toggle_motion},
        Command{CommandId::recoverable_sessions, window, "Sessions kept after a crash", ctrl_shift(Key::k),
                false, show_recoverable_sessions},
        Command{CommandId::toggle_controls, window, "Fold the settings away", ctrl(Key::b), false,
                [](App& app) {
                  bool& shown = app.screen().has_controls(app.scene().lesson.has_value());
                  shown = !shown;
                }},
        Command{CommandId::toggle_inspector, window, "Fold the inspector away", ctrl(Key::i), false,
                [](App& app) {
                  bool& shown = app.screen().panels.has_inspector;
                  shown = !shown;
                }},
        Command{CommandId::larger, window, "Larger", ctrl(Key::equal), true,
                [](App& app) { app.zoom_interface(1.1F); }},
        Command{CommandId::smaller, window, "Smaller", ctrl(Key::minus), true,
                [](App& app) { app.zoom_interface(1.0F / 1.1F); }},
        Command{CommandId::default_size, window, "Default scale", ctrl(Key::digit_0), false,
                [](App& app) { app.zoom_interface(0.0F); }},
        Command{CommandId::help, window, "Help", plain(Key::f1), false, [](App& app) { app.toggle_help(); },
                "shortcuts keys"},
        Command{CommandId::quit, window, "Quit", ctrl(Key::q), false, [](App& app) { app.quit(); }},
    };

/// The command that opens a page.
Command command_of(const PageRecord& page) {
  const ViewRecord& view = view_record(page.name);
  return {page.name, pages, page.title, view.key, false, nullptr, page.keywords, nullptr, view.other_key};
}

std::vector<PaletteEntry> commands_of_palette(const App& app) {
  std::vector<PaletteEntry> listed;
  listed.reserve(all_commands().size());
  for (const Command& command : all_commands()) {
    if (command.is(CommandId::palette) || !is_enabled(app, command.id)) continue;
    PaletteEntry& entry = listed.emplace_back();
    entry.name = command.name;
    entry.shortcut = command.keys();
    entry.keywords = command.keywords;
    if (const auto* page = std::get_if<PageName>(&command.id)) {
      const PageRecord& about = page_record(*page);
      const Workspace workspace = about.workspace.value_or(Workspace::explore);
      entry.kind = "Page";
      entry.keywords += " " + std::string(title_of(workspace)) + " " + std::string(enum_name(*page));
      entry.about = about.purpose;
      entry.effect = opening(*page, app);
    } else {
      entry.kind = command.group;
      entry.effect = static_cast<int>(std::get<CommandId>(command.id));
    }
  }
  return listed;
}

/// Adds the program's lessons, and the user's own lessons that could be read.
void add_lessons(const App& app, std::vector<PaletteEntry>& listed) {
  const auto add = [&](const std::string& name, std::string title, const std::string& keywords) {
    listed.push_back({.name = std::move(title),
                      .keywords = "lesson learn course teach " + keywords,
                      .kind = "Lesson",
                      .effect = name});
  };
  for (const EmbeddedFile& file : lesson_files()) {
    const std::string name(file.name);
    LessonOutline outline = outline_of_lesson(name, file.text);
    std::string headings;
    for (const std::string& step : outline.steps) headings += step + " ";
    add(name, std::move(outline.title), headings);
  }
  for (const UserLesson& own : app.screen().scenes.user_lessons)
    if (!own.is_refused) add(own.file, own.title, "own " + std::filesystem::path(own.file).stem().string());
}

/// The models on the undo stack, most recent first and without duplicates. Bundled models have their own
/// commands.
std::vector<ModelRef> models_in_history(const App& app) {
  std::vector<ModelRef> models;
  const auto is_known = [&](const ModelRef& model) {
    const auto same = [&](const ModelRef& other) { return other && other->source == model->source; };
    return same(app.session().model) || std::ranges::any_of(models, same);
  };
  const std::vector<History::Step>& past = app.scene().history.past();
  for (auto step = past.rbegin(); step != past.rend(); ++step) {
    const ModelRef& model = (*step)->model;
    if (!model || model->is_capture() || model->steps == 0 || is_bundled(model->name) || is_known(model))
      continue;
    models.push_back(model);
  }
  return models;
}

}  // namespace

std::span<const Command> all_commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all(own_commands.begin(), own_commands.end());
    for (const PageRecord& page : page_records()) {
      if (is_view(page.name)) all.push_back(command_of(page));
    }
    return all;
  }();
  return commands;
}

const Command& command(CommandOrView id) {
  return *std::ranges::find(all_commands(), id, &Command::id);
}

bool is_enabled(const App& app, CommandOrView id) {
  const auto& lesson = app.scene().lesson;
  const auto* page = std::get_if<PageName>(&id);
  if (page != nullptr && lesson && !lesson->walk.at().keeps(*page)) return false;
  const auto enabled = command(id).enabled;
  return enabled == nullptr || enabled(app);
}

void run_command(App& app, CommandOrView id) {
  const auto* page = std::get_if<PageName>(&id);
  if (page == nullptr) {
    const Command& asked = command(id);
    return asked.toggled_setting == nullptr ? asked.run(app) : toggle_setting(app, *asked.toggled_setting);
  }
  if (!is_enabled(app, id)) return app.notify("This step of the lesson leaves that page out");
  for (const Action& action : opening(*page, app)) app.apply(action);
}

std::string Command::keys() const {
  return chord_name(chord) + (other_chord ? " or " + chord_name(*other_chord) : "");
}

std::vector<HelpRow> help_rows() {
  std::vector<HelpRow> rows;
  rows.reserve(all_commands().size());
  for (const Command& command : all_commands())
    rows.push_back({command.group, command.keys(), std::string(command.name)});
  rows.push_back({change, "hold Alt+D", "Show the difference while held"});
  constexpr const char* mouse = "Mouse";
  rows.push_back({mouse, "hover", "See a cell's value, a token's lines"});
  rows.push_back({mouse, "click", "Pin a cell, select a token"});
  rows.push_back({mouse, "Ctrl+click", "Pick several heads (Heads) or tokens (Lines)"});
  rows.push_back({mouse, "wheel", "Zoom the large map, scroll a long sentence"});
  rows.push_back({mouse, "right drag", "Pan the zoomed map"});
  rows.push_back({mouse, "drag a gap", "Make the settings or the inspector wider"});
  return rows;
}

std::shared_ptr<const Palette> palette_of(const App& app) {
  std::vector<PaletteEntry> given = commands_of_palette(app);
  add_lessons(app, given);
  std::vector<StageKind> stages;
  for (const bool parameters : {false, true}) {
    if (!app.trace()) break;
    const auto kinds = pickable_stages(*app.trace(), app.session().selection, parameters);
    stages.insert(stages.end(), kinds.begin(), kinds.end());
  }
  return std::make_shared<const Palette>(app.session(), std::move(given), stages, models_in_history(app));
}

}  // namespace headscope
