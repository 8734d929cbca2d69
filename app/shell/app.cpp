#include "app/shell/app.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cfloat>
#include <cmath>
#include <thread>

#include "app/cli/lesson_command.h"
#include "app/imgui/keys.h"
#include "app/parts/map_mouse.h"
#include "app/parts/number_editor.h"
#include "app/shell/commands.h"
#include "app/shell/moves.h"
#include "app/shell/view_record.h"
#include "app/views/views.h"
#include "app/widgets/sheet.h"
#include "core/engine/request.h"
#include "core/model/trained_model.h"
#include "core/page/page_record.h"
#include "core/session/repair.h"
#include "core/system/process.h"
#include "core/system/read_file.h"
#include "core/trace/cover.h"

namespace headscope {
namespace {

/// Typing within this many seconds joins the previous undo step.
constexpr double typing_debounce = 1.0;

constexpr int to_the_end = 1'000'000;
/// The keys that step through a presentation, and by how much. A presenter's remote control sends Page Up and
/// Page Down; Home and End go to the first and the last step.
constexpr std::array step_keys{std::pair(Key::left, -1),       std::pair(Key::right, 1),
                               std::pair(Key::page_up, -1),    std::pair(Key::page_down, 1),
                               std::pair(Key::space, 1),       std::pair(Key::home, -to_the_end),
                               std::pair(Key::end, to_the_end)};

/// Whether a key has another meaning while something is presented.
bool is_of_presentation(const Chord& chord) {
  return std::ranges::any_of(step_keys, [&](const auto& each) { return chord == Chord{each.first}; });
}

/// Whether a typed text begins a sentence while something is presented: with a letter or a digit, because
/// remote controls send other keys. A B without Shift blanks the screen.
bool begins_presented_sentence(std::string_view typed) {
  const auto first = static_cast<unsigned char>(typed.front());
  const bool is_b = (first == 'b' || first == 'B') && !ImGui::GetIO().KeyShift;
  return !is_b && (first >= 0x80 || std::isalnum(first) != 0);
}

/// Whether cells on the current page are covered, so that a typed number may be meant for one.
bool has_cells_to_answer(const Session& session, const Trace* trace) {
  const Cover& cover = session.cover;
  if (trace == nullptr || !cover.stage || !page_record(session.view).can_cover) return false;
  const Extent size = trace->extent(*cover.stage);
  return hides_any(cover, size.rows, size.cols);
}

/// The text of a field: what was typed last, even if the session does not have it yet.
template <class Typed>
const std::string& newest(const std::deque<Event>& events, std::string Typed::*text,
                          const std::string& of_session) {
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    const auto* edit = std::get_if<Edit>(&static_cast<const AnyEvent&>(*event));
    const auto* typed = edit == nullptr ? nullptr : std::get_if<Typed>(&edit->action);
    if (typed != nullptr) return typed->*text;
  }
  return of_session;
}

}  // namespace

App::App(Window& window, Settings settings, const std::filesystem::path& kept)
    : window_(window),
      settings_(std::move(settings)),
      ui_(window),
      scene_(default_session()),
      autosave_(kept) {
  screen_.export_form.folder = settings_.export_folder;
  screen_.scenes = settings_.scenes;
  if (!settings_.first_minute.empty()) {
    if (auto lesson = open_lesson(std::string(first_minute_lesson)))
      screen_.first_minute = offered(std::move(*lesson), settings_.first_minute);
  }
  screen_.panels = settings_.panels;
  screen_.reduces_motion = settings_.reduces_motion;
  Update first = start(settings_.session);
  scene_ = std::move(first.scene);
  for (const Effect& effect : first.effects) execute(effect);
  scan_for_models();
}

const Settings& App::settings() {
  for (; !events_.empty(); receive_updates()) updates_.finish();
  settings_.session = session_to_save(scene_);
  settings_.export_folder = screen_.export_form.folder;
  settings_.scenes = screen_.scenes;
  settings_.scenes.open.clear();
  settings_.first_minute = screen_.first_minute.open_titles();
  settings_.panels = screen_.panels;
  settings_.reduces_motion = screen_.reduces_motion;
  if (window_size_.width > 0 && window_size_.height > 0) settings_.window = window_size_;
  return settings_;
}

float App::interface_scale() const {
  return std::clamp(settings_.ui_scale.value_or(window_.content_scale()), smallest_ui_scale,
                    largest_ui_scale);
}

float App::relative_window_size() const {
  constexpr float default_width = 1440.0F;
  constexpr float default_height = 800.0F;
  const float scale = interface_scale();
  return std::min(static_cast<float>(window_size_.width) / (default_width * scale),
                  static_cast<float>(window_size_.height) / (default_height * scale));
}

float App::shown_scale() const {
  if (!screen_.presents) {
    constexpr float large = 1.5F;
    constexpr float in_large_window = 1.25F;
    return interface_scale() * (relative_window_size() >= large ? in_large_window : 1.0F);
  }
  // A small window presents at a smaller scale, so that nothing is cut.
  constexpr float for_an_audience = 1.5F;
  constexpr float wide_enough = 1280.0F;
  const float share = static_cast<float>(window_size_.width) / (wide_enough * interface_scale());
  return std::min(interface_scale() * std::clamp(for_an_audience * share, 1.0F, for_an_audience),
                  largest_ui_scale);
}

/// Pages are drawn larger than controls in a large window, where their text and tables would otherwise be
/// lost. The steps are coarse, because every size of text must be baked.
float App::page_enlargement() const {
  constexpr float most = 1.5F;
  constexpr float steps = 4.0F;
  if (screen_.presents) {
    constexpr float default_height = 800.0F;
    const float room = static_cast<float>(window_size_.height) / (default_height * interface_scale());
    const float enlarged = scene_.lesson ? std::clamp(std::floor(room * steps) / steps, 1.0F, most) : 1.0F;
    const PresentedFit& fit = screen_.presented_fit;
    return enlarged * (fit.view == session().view ? fit.share : 1.0F);
  }
  const float room = relative_window_size() * interface_scale() / shown_scale();
  return std::clamp(std::floor(room * steps) / steps, 1.0F, most);
}

void App::zoom_interface(float factor) {
  if (factor == 0.0F) {
    settings_.ui_scale.reset();
    return;
  }
  // Rounding to twentieths makes larger and smaller inverses.
  constexpr float steps = 20.0F;
  const float scale = std::round(interface_scale() * factor * steps) / steps;
  settings_.ui_scale = std::clamp(scale, smallest_ui_scale, largest_ui_scale);
}

const Session* App::session_before() const {
  const Request now = request_of(session());
  const std::vector<History::Step>& past = scene_.history.past();
  for (auto step = past.rbegin(); step != past.rend(); ++step) {
    // A state with interventions from a subject that is no longer held cannot be held itself.
    if (!(request_of(**step) == now) && !(*step)->interventions.take_from_compared()) return step->get();
  }
  return nullptr;
}

/// Shows the session, as a difference while the key for it is down: to the held subject or, without one, to
/// the state before the last change.
const App::DerivedState& App::derived() {
  if (derived_.session == scene_.history.step() && derived_.is_peeking == is_peeking_) return derived_;
  derived_ = {scene_.history.step(), is_peeking_, session(), {}, 0, false, false};
  ui_.fonts.request_characters(session().sentence);
  Session& shown = derived_.shown;
  shown.difference = shown.difference || is_peeking_;
  const Session* before = shown.difference && shown.compared.empty() ? session_before() : nullptr;
  if (before != nullptr) {
    Session other = with_subject(shown, before->subject());
    other.selection = shown.selection;
    shown.compared = {repaired(other, other).subject()};
  }
  for (const Session& subject : subjects_of(shown)) derived_.requests.push_back(request_of(subject));
  derived_.max_tokens = validate(shown.architecture) ? max_tokens(derived_.requests.front()) : 0;
  derived_.has_words = !texts_of(shown).sentence().empty();
  return derived_;
}

void App::request_passes() {
  if (derived().is_submitted) return;
  worker_.submit(derived_.requests);
  derived_.is_submitted = true;
}

void App::receive_passes() {
  request_passes();
  if (const auto outcome = worker_.latest()) {
    error_ = outcome->error;
    if (!files_are_unchanged()) {
      trace_.reset();
      before_edit_.reset();
    }
    if (outcome->trace) {
      trace_ = outcome->trace;
      trace_model_ = outcome->request.model;
    }
    if (!derived().has_words) trace_.reset();
  }
  compared_.clear();
  for (std::size_t i = 1; i < derived().requests.size(); ++i) {
    const auto outcome = worker_.outcome(derived().requests[i]);
    compared_.push_back(outcome ? SubjectPass{outcome->trace, outcome->request.model, outcome->error}
                                : SubjectPass{});
  }
}

bool App::files_are_unchanged() const {
  const auto is_unchanged = [](const std::shared_ptr<const Trace>& trace) {
    return !trace || trace->check_files().has_value();
  };
  return is_unchanged(trace_) && is_unchanged(before_edit_) &&
         std::ranges::all_of(compared_, is_unchanged, &SubjectPass::trace);
}

void App::apply(const Action& action) {
  const bool types = is_typing(action);
  const bool types_number =
      std::holds_alternative<SetGiven>(action) && screen_.inline_edit && screen_.inline_edit->continues;
  const bool continues = types ? clock_ - last_edit_ < typing_debounce : types_number || !new_gesture_;
  if (types) last_edit_ = clock_;
  new_gesture_ = false;
  if (std::holds_alternative<PinCell>(action)) {
    screen_.show_inspector = true;
    // A click that answers a question must leave the lesson's reply visible.
    const auto& lesson = scene().lesson;
    if (!lesson || !lesson->walk.at().question) screen_.lesson.is_shown = false;
  }
  if (types && (!continues || !before_edit_)) before_edit_ = trace_;
  dispatch(Edit{action, continues});
}

void App::take_back(SceneOrder order) {
  before_edit_.reset();
  dispatch(order);
  new_gesture_ = true;
  last_edit_ = -typing_debounce;
}

void App::run(CommandOrView id) {
  run_command(*this, id);
}

void App::draw() {
  std::vector<Action> actions;
  std::vector<CommandOrView> commands;
  std::vector<ExportRequest> exports;
  std::vector<Event> events;
  Frame frame{.ui = ui_,
              .session = scene_.session(),
              .sentence = newest(events_, &SetSentence::sentence, session().sentence),
              .target = newest(events_, &SetTarget::target, session().target),
              .undo_stack = scene_.history.past(),
              .shown = derived().shown,
              .trace = trace_,
              .trace_model = trace_model_,
              .before_edit = before_edit_,
              .compared = compared_,
              .error = error_,
              .computing = computing(),
              .opening = reader_.share(),
              .training = scene_.training.progress,
              .film = film_of(scene_),
              .max_tokens = derived().max_tokens,
              .screen = screen_,
              .actions = actions,
              .commands = commands,
              .exports = exports,
              .events = events,
              .lesson = scene_.lesson ? &*scene_.lesson : nullptr,
              .has_changed_scene = has_changed_scene(scene_),
              .is_writing_lesson = is_writing_lesson(scene_),
              .execute = run_page_job_,
              .keys_of = [](CommandOrView id) { return command(id).keys(); },
              .is_enabled = [this](CommandOrView id) { return headscope::is_enabled(*this, id); }};
  if (!ui_.hides_transients()) screen_.toasts.advance(ui_);
  screen_.toasts.is_over_sheet = is_covered_by_sheet();
  window_layout(frame, worker_.n_threads());
  export_sheet(frame);
  known_words_sheet(frame);
  search_sheet(frame);
  step_sheet(frame);
  module_sheet(frame);
  open_sheet(frame);
  palette_sheet(frame);
  number_editor(frame);
  if (help_open_) {
    // Only a program that carries its libraries has such a file.
    static const std::string notices = read_file(program_folder() / "notices.txt").value_or("");
    help_sheet(ui_, help_open_, help_rows(), notices);
  }
  handle_recovery_choice();
  if (is_covered_by_sheet() && !ui_.hides_transients()) screen_.toasts.draw_over(ui_);
  for (const Action& action : actions) apply(action);
  for (const CommandOrView id : commands) run(id);
  for (const ExportRequest& request : exports) start_export(request);
  for (const Event& event : events) dispatch(event);
  if (actions.empty() && commands.empty() && events.empty()) return;
  request_passes();
  pacer_.event();
}

void App::wait_for_first_pass() {
  request_passes();
  constexpr std::chrono::milliseconds longest(150);
  constexpr std::chrono::milliseconds poll_interval(1);
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!worker_.latest() && worker_.busy() && std::chrono::steady_clock::now() < end)
    if (!run_slices(poll_interval)) std::this_thread::sleep_for(poll_interval);
}

void App::run_jobs() {
  constexpr std::chrono::milliseconds min_budget(8), max_budget(20);  // the last slice ends somewhat later
  if (run_slices(std::clamp(drawing_, min_budget, max_budget))) pacer_.event();
}

void App::frame() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const std::shared_ptr<const Trace> shown = trace_;
  pacer_.frame_drawn();  // wake-ups requested during this frame must come after this call
  receive_files();
  receive_updates();
  receive_progress();
  receive_passes();
  // The results of page jobs are in the pages' memo, so the pages must be made again.
  if (page_jobs_done_.exchange(0) > 0) {
    ++screen_.page_version;
    pacer_.event();
  }
  receive_exports();
  receive_copies();
  if (trace_ != shown) pacer_.event();
  observe_lesson();
  observe_first_minute();
  ui_.prepare(theme_of(session().picture.theme), shown_scale(), page_enlargement());
  for (const std::string& problem :
       {ui_.fonts.take_complaint(), ui_.fonts.take_hint(), ui_.characters().take_complaint()}) {
    if (!problem.empty()) notify(problem, NoticeKind::warning);
  }

  window_.begin_frame();
  // A picture of the window must not depend on where the mouse happens to be.
  if (ui_.hides_transients()) ImGui::GetIO().MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
  ui_.update_focus_visibility();
  clock_ = ImGui::GetTime();
  if (ImGui::IsMouseClicked(0)) {
    new_gesture_ = true;
    last_edit_ = -typing_debounce;
  }
  if (!ImGui::IsMouseDown(0) && !ImGui::IsMouseReleased(0)) new_gesture_ = true;
  play_film();
  play_lesson();
  const ImGuiIO& io = ImGui::GetIO();
  is_peeking_ = is_key_down(Key::d) && io.KeyAlt && !io.KeyShift && !io.KeyCtrl;
  screen_.recoverable_sessions = autosave_.recoverable_sessions();
  if (!derived().shown.difference) screen_.memo.difference_ranges.clear();
  const bool awaits_capture = std::ranges::count(exports_, ExportKind::window, &ExportRequest::kind) > 0;
  ui_.hide_transients(always_hides_transients_ || awaits_capture);
  screen_.hovered = ui_.hides_transients() ? std::nullopt : screen_.next_hovered;
  screen_.next_hovered.reset();
  press_keys();
  type_into_sentence();
  ui_.set_theme(theme_of(session().picture.theme));
  screen_.show_passes(trace_, compared_, session().view);
  draw();
  text_had_focus_ = text_has_focus();
  popup_was_open_ = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  if (files_are_unchanged()) {
    window_.end_frame();
  } else {
    // Numbers may have been read from a file after it changed. The next frame reports the change instead.
    ImGui::EndFrame();
    pacer_.event();
  }
  screen_.drop_stale_pages();
  process_copies();
  process_exports();
  update_export_sheet();
  list_folders();
  keep_session();
  const PixelSize drawn{static_cast<int>(ImGui::GetIO().DisplaySize.x),
                        static_cast<int>(ImGui::GetIO().DisplaySize.y)};
  // Text and pages follow the window's size in the last frame, so another frame is due.
  if (drawn.width != window_size_.width || drawn.height != window_size_.height) pacer_.event();
  window_size_ = drawn;

  if (const std::string explanation = ui_.take_unrevealed(); !explanation.empty())
    notify("The control for this is not in the window now: " + explanation, NoticeKind::information);
  const bool hovers_elsewhere = !ui_.hides_transients() && screen_.next_hovered != screen_.hovered;
  if (hovers_elsewhere || ui_.fonts.pending()) pacer_.event();
  if (const double left = screen_.toasts.seconds_left(); left >= 0.0) pacer_.due_in(left);
  if (const double wake = ui_.take_wake_time(); wake >= 0.0) pacer_.due_in(wake);
  // The share of a file that has been opened is drawn, but a slice that ends requests no frame.
  constexpr double between_shares = 0.2;
  if (reader_.busy()) pacer_.due_in(between_shares);
  if (window_.has_pending_input()) pacer_.event();
  drawing_ = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
}

bool App::settled() const {
  const auto outcome = worker_.latest();
  const bool computed = outcome && outcome->request == request_of(session()) && !computing();
  const bool shown = computed && (outcome->trace == trace_ || !outcome->error.empty());
  const bool has_progress =
      progress_ == trainer_.latest() || (progress_ && progress_->state == TrainingState::running);
  const bool moves = scene_.lesson && scene_.lesson->motion;
  return shown && has_progress && !moves && shows_expected_weights(scene_) && !reader_.busy() &&
         !ui_.fonts.pending() && !has_page_jobs() && !exporter_.busy() && exports_.empty() &&
         !previews_.busy() && !folder_lister_.busy() &&
         !(screen_.export_form.open && screen_.export_form.is_preview_old) && !copier_.busy() &&
         copies_.empty();
}

bool App::is_covered_by_sheet() const {
  return help_open_ || screen_.export_form.open || screen_.open_form.open || screen_.known_words.open ||
         screen_.search.open || screen_.step_form.open || screen_.module.open || screen_.palette.open ||
         screen_.number_editor.stage.has_value();
}

/// Typing without a focused field starts a new sentence and focuses its field. One undo step brings the old
/// sentence back. A space presses the focused item instead.
void App::type_into_sentence() {
  const std::string typed = ui_.typed_text();
  const bool is_taken =
      text_has_focus() || popup_was_open_ || is_covered_by_sheet() || captures_typing(screen_.answer, typed);
  if (typed.empty() || typed == " " || is_taken) return;
  if (screen_.presents && (screen_.is_black || !begins_presented_sentence(typed))) return;
  if (is_number_prefix(typed) && has_cells_to_answer(session(), trace_.get()))
    return notify("Point at a covered cell to type its number");
  if (!page_record(session().view).shows_session_pass)
    return notify("This page has no sentence to type into");
  if (session().model && session().model->is_capture())
    return notify("The sentence of captured attention cannot be changed");
  last_edit_ = -typing_debounce;
  apply(SetSentence{typed});
  screen_.replaces_sentence = false;
  screen_.focus_sentence = true;
}

void App::press_keys() {
  const bool under_a_sheet = is_covered_by_sheet();
  const bool answers = screen_.answer.is_active(ImGui::GetFrameCount()) && !screen_.answer.typed.empty();
  for (const Command& command : all_commands()) {
    if (under_a_sheet && !command.is(CommandId::help) && !command.is(CommandId::quit)) continue;
    // Ctrl+C in a text field copies the text selected in it.
    if (command.is(CommandId::copy_figure) && text_has_focus()) continue;
    if (screen_.presents && is_of_presentation(command.chord)) continue;
    if (answers && (command.is(CommandId::unpin) || is_text(command.chord))) continue;
    // In a text field or an open popup, Escape only closes it.
    if (command.is(CommandId::unpin) && (text_had_focus_ || text_has_focus() || popup_was_open_)) continue;
    const bool is_pressed = chord_pressed(command.chord, command.repeats) ||
                            (command.other_chord && chord_pressed(*command.other_chord, command.repeats));
    if (is_pressed && (command.enabled == nullptr || command.enabled(*this))) run(command.id);
  }
  if (answers && chord_pressed({Key::escape})) screen_.answer = {};
  if (!screen_.presents || under_a_sheet) return;
  constexpr bool repeats = true;
  for (const auto& [key, by] : step_keys) {
    const bool is_of_answer = answers && is_text({key});
    if (!is_of_answer && chord_pressed({key}, repeats)) move_presented(*this, by);
  }
}

}  // namespace headscope
