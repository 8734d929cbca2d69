#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "app/parts/page_part.h"
#include "app/parts/setting_control.h"
#include "app/parts/step_player.h"
#include "app/parts/training_status.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/engine/text_training.h"
#include "core/model/trained_model.h"
#include "core/page/pages.h"
#include "core/session/settings.h"
#include "core/system/process.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

struct TrainViewState {
  std::shared_ptr<const ParameterLayout> layout;  ///< the layout of the parameters in `paths`
  std::vector<std::string> paths;
  std::optional<HitRegion> scrubbed;  ///< the chart on which the mouse looks back while held
};

/// Scrubs to the step under the mouse after a press on a chart.
void scrub(Frame& frame, const PageMouse& mouse) {
  std::optional<HitRegion>& scrubbed = frame.screen.own.of<TrainViewState>().scrubbed;
  if (mouse.clicked && mouse.on<StepsArea>() != nullptr) scrubbed = *mouse.region;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) scrubbed.reset();
  if (scrubbed) {
    const double step = std::get<StepsArea>(scrubbed->meaning).step_at(scrubbed->box, mouse.at);
    return show_snapshot(frame, snapshot_near(frame.film, step));
  }
  if (const auto* steps = mouse.on<StepsArea>()) {
    const auto step = static_cast<int>(steps->step_at(mouse.region->box, mouse.at));
    tooltip(frame.ui, "step " + grouped(step) + " · click or drag to look back");
  }
}

constexpr float side_width = 232.0F;

const char* train_tooltip(const Frame& frame) {
  if (drops_trained_weights(frame.session, frame.training))
    return "Train again from random weights; undo brings these weights back";
  if (!frame.training) return "Train from random weights";
  switch (frame.training->state) {
    case TrainingState::running:
      return "Training is running; Pause stops it";
    case TrainingState::finished:
      return "Train for as many steps again";
    case TrainingState::diverged:
    case TrainingState::refused:
      return "Train again from random weights";
    default:
      return "Train from here on";
  }
}

/// Asks before a pending command replaces trained weights by random ones.
void confirm_retraining(Frame& frame) {
  constexpr const char* popup = "train anew";
  RetrainConfirmation& question = frame.screen.retrain_confirmation;
  if (!question.pending_command) return;
  if (std::exchange(question.opens, false)) ImGui::OpenPopup(popup);
  Ui& ui = frame.ui;
  ImGui::SetNextWindowPos(ImGui::GetCursorScreenPos());
  constexpr float width = 320.0F;
  ImGui::SetNextWindowSizeConstraints({ui.px(width), 0.0F}, {ui.px(width), ImGui::GetIO().DisplaySize.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(14), ui.px(12)));
  if (ImGui::BeginPopup(popup)) {
    if (!drops_trained_weights(frame.session, frame.training)) {
      ImGui::CloseCurrentPopup();
    } else {
      paragraph(ui,
                "These weights were trained for " + grouped(frame.session.model->steps) +
                    " steps, and training cannot continue from them: it begins with random weights. Undo "
                    "brings these weights back.",
                ui.theme().text, text_size::control);
      if (button(ui, "Begin with random weights", "", "", ButtonStyle::primary)) {
        frame.send(question.pending_command == CommandId::train ? Event(SceneOrder::toggle_training)
                                                                : Event(SceneOrder::step_training));
        ImGui::CloseCurrentPopup();
      }
      ImGui::SameLine(0.0F, ui.px(8.0F));
      if (button(ui, "Keep these", "")) ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  } else {
    question.pending_command.reset();
  }
  ImGui::PopStyleVar();
}

/// The buttons have fixed places and labels in every state of training, so a second click never hits another
/// one.
void buttons(Frame& frame) {
  const float spacing = frame.ui.px(6.0F);
  const float width = std::floor((ImGui::GetContentRegionAvail().x - spacing) / 2.0F);
  const bool runs = frame.training && frame.training->state == TrainingState::running;
  ImGui::BeginDisabled(runs);
  if (button(frame.ui, "Train", frame.with_keys(train_tooltip(frame), CommandId::train).c_str(), "",
             ButtonStyle::primary, width)) {
    // Continues a finished run for as many steps again.
    if (frame.training && frame.training->state == TrainingState::finished)
      frame.emit(
          set_to("training.steps", std::min(2 * frame.session.training.steps, training_limits::max_steps)));
    frame.emit(CommandId::train);
  }
  ImGui::EndDisabled();
  ImGui::SameLine(0.0F, spacing);
  ImGui::BeginDisabled(!runs);
  command_button(frame, "Pause", "Stops training and keeps these weights", CommandId::train,
                 ButtonStyle::plain, width);
  ImGui::EndDisabled();
  command_button(frame, "Step", "One step: one batch of sentences", CommandId::train_step, ButtonStyle::plain,
                 width);
  ImGui::SameLine(0.0F, spacing);
  command_button(frame, "Reset", "Resets to random weights, at step 0", CommandId::train_reset,
                 ButtonStyle::plain, width);
  confirm_retraining(frame);
}

void settings(Frame& frame) {
  for (const SettingKey key : {SettingKey("training.steps"), SettingKey("training.learning_rate"),
                               SettingKey("training.batch_size")})
    setting_control(frame, key);
  // A model for a text always starts from the same weights.
  if (!corpus_of(frame.session.model)) setting_control(frame, SettingKey("architecture.seed"));
}

void snapshot_controls(Frame& frame) {
  section(frame.ui, "Look back");
  ImGui::BeginDisabled(frame.film.size() < 2);
  snapshot_slider(frame);
  film_button(frame, ImGui::GetContentRegionAvail().x);
  ImGui::EndDisabled();
}

/// Trains on the clipboard's text.
void paste_text(Frame& frame) {
  const char* pasted = ImGui::GetClipboardText();
  if (pasted != nullptr && *pasted != '\0') return frame.send(OpenText{{{}, pasted}});
  frame.screen.toasts.push(std::string("There is no text on the clipboard: copy some first") +
                               (has_visible_folders() ? "" : ", then press Ctrl+V here"),
                           NoticeKind::warning);
}

/// A list of the sizes of a model that learns a text. Choosing one begins anew.
void size_list(Frame& frame, const Corpus& corpus) {
  std::vector<std::string> titles;
  for (const LanguageModelSize& size : text_model_sizes) {
    titles.push_back(std::string(size.title) + ", " + about(size.seconds));
  }
  const auto now = text_model_size_of(frame.session.architecture);
  int selected = now ? static_cast<int>(*now) : -1;
  if (combo(
          frame.ui, "size", titles, selected,
          "A larger model learns more, but takes longer: the time is estimated for this machine. Training starts over"))
    frame.send(OpenText{corpus.sources, static_cast<std::size_t>(selected)});
}

constexpr std::array own_texts{"Your own text from a file…", "Your own text from the clipboard"};

/// Trains on a text of the user's, from one of these places.
void choose_own_text(Frame& frame, int place) {
  place == 0 ? frame.emit(CommandId::open_file) : paste_text(frame);
}

/// A list of the tasks. Choosing one opens its trained model.
void task_list(Frame& frame, const Task* shown) {
  std::vector<std::string> titles;
  int selected = -1;
  const std::vector<std::string_view> names = task_names();
  for (const std::string_view name : names) {
    if (shown != nullptr && name == shown->name()) selected = static_cast<int>(titles.size());
    titles.emplace_back(task(*parse_task_name(name)).title());
  }
  const auto own = static_cast<int>(names.size());
  titles.insert(titles.end(), own_texts.begin(), own_texts.end());
  if (corpus_of(frame.session.model)) selected = own;
  if (combo(frame.ui, "task", titles, selected,
            "What the model learns. Pronouns takes the longest by far. Your own text can also be "
            "dropped onto the window as a file: a poem, a chapter, code, in any language")) {
    if (selected >= own) {
      choose_own_text(frame, selected - own);
    } else {
      frame.send(OpenBundled{std::string(names[static_cast<std::size_t>(selected)])});
    }
  }
  if (const auto corpus = corpus_of(frame.session.model); corpus && corpus->is_open())
    size_list(frame, *corpus);
}

/// The choice of a task, if the session has none.
void choose_task(Frame& frame) {
  paragraph(frame.ui,
            "Choose a task: its model opens trained, and Reset lets you watch it learn from scratch.",
            frame.ui.theme().quiet, text_size::body);
  for (const std::string_view name : task_names()) {
    const Task& offered = task(*parse_task_name(name));
    ImGui::Dummy({0.0F, frame.ui.px(4.0F)});
    if (button(frame.ui, std::string(offered.title()).c_str(), "Choose this task", "", ButtonStyle::primary,
               frame.ui.px(120.0F))) {
      frame.send(OpenBundled{std::string(name)});
    }
    paragraph(frame.ui, offered.summary(), frame.ui.theme().text, text_size::body);
  }
  ImGui::Dummy({0.0F, frame.ui.px(4.0F)});
  const std::vector<std::string> places(own_texts.begin(), own_texts.end());
  if (const auto place =
          menu(frame.ui, "Your own text ▾", places,
               "Choose a text file or drop one onto the window, or paste a text", ButtonStyle::primary))
    choose_own_text(frame, *place);
  paragraph(frame.ui, "A poem, a chapter, code, in any language: a small model learns to write on from it.",
            frame.ui.theme().text, text_size::body);
}

void save(Frame& frame) {
  if (!frame.session.model || !frame.session.model->name.empty() || !is_offered(ExportKind::model)) return;
  if (link(frame.ui, "Save this model…", "Save it to a folder that you can open again"))
    frame.screen.export_form.show(ExportKind::model);
}

/// The choice of the parameter whose gradient the page shows: parameters by their paths, with heads listed
/// separately.
void choose_parameter(Frame& frame) {
  if (!frame.training || !frame.training->gradients) return;
  auto& screen = frame.screen.own.of<TrainViewState>();
  std::string& parameter = frame.screen.trained_parameter;
  if (screen.layout != frame.training->layout) {
    screen.layout = frame.training->layout;
    screen.paths.clear();
    for (const NamedParameter& parameter : screen.layout->named) screen.paths.push_back(parameter.path);
  }
  if (std::ranges::find(screen.paths, parameter) == screen.paths.end()) {
    const std::string query = path(selected_stage(frame, StageKind::query));
    parameter = query.substr(0, query.rfind('.')) + ".W_Q";
  }
  section(frame.ui, "Gradient");
  auto selected = static_cast<int>(std::ranges::find(screen.paths, parameter) - screen.paths.begin());
  if (combo(frame.ui, "##parameter", screen.paths, selected, "Weights whose gradient is shown")) {
    parameter = screen.paths[static_cast<std::size_t>(selected)];
  }
}

void side(Frame& frame, const Task* shown) {
  task_list(frame, shown);
  buttons(frame);
  training_bar(frame);
  snapshot_controls(frame);
  section(frame.ui, "Training");
  settings(frame);
  // Whatever appears and disappears comes last, so that nothing moves under the mouse.
  save(frame);
  if (shown != nullptr) loss_components(frame, *shown);
  choose_parameter(frame);
}

void handle_training_mouse(Frame& frame, const PageMouse& mouse) {
  if (frame.film.size() > 1) scrub(frame, mouse);
  const auto cell = mouse.table_cell();
  if (!cell) return;
  const PageInputs& in = page_inputs(frame);
  const bool is_target = is_target_table(mouse.on<TableCells>()->table);
  tooltip(frame.ui, is_target ? describe_target(in, frame.screen.memo, *cell) : describe_gradient(in, *cell));
}

}  // namespace

void train_view(Frame& frame) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto kind = parse_task_name(frame.session.task);
  const Task* shown = kind ? &task(*kind) : nullptr;
  const bool learns = kind || corpus_of(frame.session.model) != nullptr;
  const float left = std::min(frame.ui.px(side_width), room.x * 0.45F);
  constexpr float min_page = 280.0F;
  if (!learns || room.x - left < frame.ui.px(min_page)) {
    const Panel panel(frame.ui, "train page", room, PanelScroll::vertical);
    if (learns) side(frame, shown);
    if (learns) divider(frame.ui);
    handle_training_mouse(frame, draw_page(frame, PageName::train, PageDependency::selection,
                                           {ImGui::GetContentRegionAvail().x, room.y}));
    return learns ? void() : choose_task(frame);
  }
  {
    const Panel panel(frame.ui, "training", {left, room.y}, PanelScroll::vertical);
    side(frame, shown);
  }
  ImGui::SameLine(0.0F, frame.ui.px(panel_gap));
  const Panel panel(frame.ui, "train page", {room.x - left - frame.ui.px(panel_gap), room.y},
                    PanelScroll::vertical);
  handle_training_mouse(frame, draw_page(frame, PageName::train));
}

}  // namespace headscope
