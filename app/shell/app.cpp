#include "app/shell/app.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/cli/figure_session.h"
#include "app/cli/model_places.h"
#include "app/parts/how_read.h"
#include "app/shell/commands.h"
#include "app/shell/layout.h"
#include "app/views/export_sheet.h"
#include "app/views/known_words_sheet.h"
#include "app/widgets/help_sheet.h"
#include "core/engine/mask_file.h"
#include "core/engine/opening.h"
#include "core/engine/request.h"
#include "core/model/trained_model.h"

namespace headscope {
namespace {

/// Typing that continues within this many seconds is one step of undo.
constexpr double typing_pause = 1.0;

}  // namespace

App::App(Window& window, Settings settings)
    : window_(window),
      settings_(std::move(settings)),
      ui_(window),
      history_(settings_.session),
      worker_([&window] { window.wake(); }),
      before_worker_([&window] { window.wake(); }, 1),
      training_([&window] { window.wake(); }, model_places()) {
  screen_.export_form.folder = settings_.export_folder;
}

const Settings& App::settings() {
  settings_.session = history_.present();
  settings_.export_folder = screen_.export_form.folder;
  if (window_size_.width > 0 && window_size_.height > 0) settings_.window = window_size_;
  return settings_;
}

float App::interface_scale() const {
  return std::clamp(settings_.ui_scale.value_or(window_.content_scale()), smallest_ui_scale,
                    largest_ui_scale);
}

void App::zoom_interface(float factor) {
  if (factor == 0.0F) {
    settings_.ui_scale.reset();
    return;
  }
  // Steps of a twentieth, so that larger and smaller undo each other.
  constexpr float steps = 20.0F;
  const float scale = std::round(interface_scale() * factor * steps) / steps;
  settings_.ui_scale = std::clamp(scale, smallest_ui_scale, largest_ui_scale);
}

bool App::shows_difference() const {
  return screen_.difference;
}

const Session* App::session_before() const {
  const Request now = request_of(history_.present());
  const auto& past = history_.past();
  for (auto step = past.rbegin(); step != past.rend(); ++step) {
    if (!(request_of(*step) == now)) return &*step;
  }
  return nullptr;
}

/// Weights come and go without a step of undo: what a person changed is what they are for. Newer ones wait
/// until what is asked of those before is computed and written, which would never end otherwise.
void App::receive_weights() {
  const auto model = training_.weights_for(session());
  const bool has_work = worker_.busy() || !exports_.empty();
  if (!model || (session().model && has_work)) return;
  constexpr bool continues = true;
  history_.apply(ShowWeights{model}, continues);
}

void App::open_task(std::optional<TaskKind> task) {
  OpenModel action{nullptr};
  if (task) {
    const auto model = training_.bundled(*task);
    if (!model) return say(model.error().message, NoticeKind::warning);
    action = opening(*model);
  }
  training_.leave();
  apply(action);
}

void App::receive_passes() {
  const Session& session = history_.present();
  worker_.submit(request_of(session));
  if (const auto outcome = worker_.latest()) {
    error_ = outcome->error;
    if (outcome->trace) {
      trace_ = outcome->trace;
      trace_model_ = outcome->request.model;
    }
    if (tokenize(session.sentence, session.tokenizer).empty()) trace_.reset();
  }
  before_.reset();
  if (!shows_difference()) {
    before_worker_.forget();
    return;
  }
  if (const Session* before = session_before()) {
    const Request request = request_of(*before);
    before_worker_.submit(request);
    const auto outcome = before_worker_.latest();
    if (outcome && outcome->request == request) before_ = outcome->trace;
  }
}

void App::open_figure(const std::string& file) {
  auto opened = session_of_figure(file);
  if (!opened) return say(opened.error().message, NoticeKind::warning);
  opened->picture.theme = session().picture.theme;  // the window's
  training_.leave();
  apply(OpenSession{std::move(*opened)});
  say("Opened the session of " + file);
}

void App::open_dropped_files() {
  for (const std::string& file : window_.take_dropped_files()) {
    if (is_figure_file(file)) {
      open_figure(file);
      continue;
    }
    const auto mask = read_mask(file);
    if (mask) {
      AttentionOptions options = session().attention;
      selected_mask(session(), options).loaded.push_back(*mask);
      apply(SetAttention{options});
      say("Mask loaded from " + file + ". " + how_read(**mask));
    } else {
      say(mask.error().message, NoticeKind::warning);
    }
  }
}

void App::apply(const Action& action) {
  const bool is_typing =
      std::holds_alternative<SetSentence>(action) || std::holds_alternative<SetTarget>(action);
  const bool continues = is_typing ? clock_ - last_edit_ < typing_pause : !new_gesture_;
  if (is_typing) last_edit_ = clock_;
  new_gesture_ = false;
  if (const auto* shown = std::get_if<ShowWeights>(&action)) training_.look_back(shown->model);
  if (std::holds_alternative<PinCell>(action)) screen_.show_inspector = true;
  if (const auto* typed = std::get_if<SetSentence>(&action)) return type_sentence(*typed, continues);
  if (std::holds_alternative<SelectToken>(action)) lost_token_ = false;
  history_.apply(action, continues);
}

/// A target that is the wanted one stays so. Where the token that was looked at went while everything was
/// typed anew, the one that shows what the task is about takes its place as soon as it is there.
void App::type_sentence(const SetSentence& action, bool continues) {
  const bool had_token = session().selection.token.has_value();
  history_.apply(with_wanted_target(session(), action), continues);
  lost_token_ = (lost_token_ || had_token) && !session().selection.token;
  if (!lost_token_) return;
  if (const auto token = token_to_look_at(session())) {
    constexpr bool same_gesture = true;
    history_.apply(SelectToken{token}, same_gesture);
    lost_token_ = false;
  }
}

/// Where trained weights would give way to random ones, that is one step of undo.
void App::train(void (TrainingControl::*order)(const Session&), bool begins_anew) {
  const bool has_task = task_named(session().task).has_value();
  if (begins_anew && has_task && session().model && session().model->steps > 0) apply(TrainAnew{});
  (training_.*order)(session());
}

void App::undo() {
  history_.undo();
  training_.find_again(session());
  new_gesture_ = true;
  last_edit_ = 0.0;
}

void App::redo() {
  history_.redo();
  training_.find_again(session());
  new_gesture_ = true;
  last_edit_ = 0.0;
}

void App::run(CommandId id) {
  command(id).run(*this);
}

void App::press_keys() {
  const bool under_a_sheet = help_open_ || screen_.export_form.open || screen_.known_words.open;
  for (const Command& command : all_commands()) {
    if (under_a_sheet && command.id != CommandId::help && command.id != CommandId::quit) continue;
    // Escape leaves the field that is typed into or the list that is open, and nothing else.
    if (command.id == CommandId::unpin && (text_has_keyboard() || popup_was_open_)) continue;
    if (chord_pressed(command.chord, command.repeats)) command.run(*this);
  }
}

void App::draw() {
  std::vector<Action> actions;
  std::vector<CommandId> commands;
  std::vector<ExportRequest> exports;
  const auto valid = validate(session().architecture);
  Frame frame{ui_,
              history_.present(),
              trace_,
              trace_model_,
              before_,
              error_,
              worker_.busy(),
              training_.progress(),
              valid ? max_tokens(request_of(session())) : 0,
              screen_,
              actions,
              commands,
              exports};
  window_layout(frame, worker_.n_threads());
  export_sheet(frame);
  known_words_sheet(frame);
  help_sheet(ui_, help_open_, help_rows());
  if (!ui_.is_still()) toasts_.draw(ui_);
  for (const Action& action : actions) apply(action);
  for (const CommandId id : commands) run(id);
  for (const ExportRequest& request : exports) start_export(request);
  if (!actions.empty() || !commands.empty()) pacer_.event();
}

void App::frame() {
  const std::shared_ptr<const Trace> shown = trace_;
  pacer_.frame_drawn();  // what this frame asks for comes after
  receive_weights();
  receive_passes();
  receive_exports();
  open_dropped_files();
  if (trace_ != shown) pacer_.event();
  ui_.fonts.need(session().sentence);
  ui_.prepare(theme_of(session().picture.theme), interface_scale());
  for (const std::string& problem : {ui_.fonts.take_complaint(), ui_.fonts.take_hint()}) {
    if (!problem.empty()) say(problem, NoticeKind::warning);
  }

  window_.begin_frame();
  ui_.follow_keyboard();
  clock_ = ImGui::GetTime();
  if (ImGui::IsMouseClicked(0)) new_gesture_ = true;
  if (!ImGui::IsMouseDown(0) && !ImGui::IsMouseReleased(0)) new_gesture_ = true;
  const bool peeks = key_held(Key::d) && !text_has_keyboard() && !ImGui::GetIO().KeyCtrl;
  screen_.difference = difference_on_ || peeks;
  if (!screen_.difference) screen_.held_ranges.clear();
  ui_.hold_still(always_still_ || waits_for_window_picture());
  screen_.hovered = ui_.is_still() ? std::nullopt : screen_.next_hovered;
  screen_.next_hovered.reset();
  press_keys();
  ui_.set_theme(theme_of(session().picture.theme));
  draw();
  popup_was_open_ = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  window_.end_frame();
  screen_.forget_passes_but(trace_, screen_.difference ? before_ : nullptr);
  carry_out_exports();
  window_size_ = {static_cast<int>(ImGui::GetIO().DisplaySize.x),
                  static_cast<int>(ImGui::GetIO().DisplaySize.y)};

  const bool hovers_elsewhere = !ui_.is_still() && screen_.next_hovered != screen_.hovered;
  if (hovers_elsewhere || ui_.fonts.pending()) pacer_.event();
  if (const double left = toasts_.seconds_left(); left >= 0.0) pacer_.due_in(left);
  if (const double wake = ui_.take_wake(); wake >= 0.0) pacer_.due_in(wake);
  if (window_.has_pending_input()) pacer_.event();
}

bool App::settled() const {
  const auto outcome = worker_.latest();
  const bool computed = outcome && outcome->request == request_of(history_.present()) && !worker_.busy();
  const bool shown = computed && (outcome->trace == trace_ || !outcome->error.empty());
  return shown && training_.settled(session()) && !ui_.fonts.pending() && !exporter_.busy() &&
         exports_.empty();
}

}  // namespace headscope
