#include "app/views/train.h"

#include <algorithm>
#include <array>
#include <span>

#include "app/parts/model_controls.h"
#include "app/parts/page_part.h"
#include "app/parts/training_film.h"
#include "app/parts/training_parts.h"
#include "app/parts/training_status.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/slider.h"
#include "app/widgets/tabs.h"
#include "app/widgets/text.h"
#include "core/enum_count.h"
#include "core/model/trained_model.h"
#include "core/page/train_page.h"
#include "core/session/settings.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr float side_width = 232.0F;

/// A finished run continues for as many steps again.
void train_more(Frame& frame) {
  TrainingSettings training = frame.session.training;
  training.steps = std::min(2 * training.steps, TrainingLimits::max_steps);
  frame.emit(SetTraining{training});
}

struct PlayButton {
  const char* label;
  const char* meaning;
};

PlayButton play_button(const Frame& frame) {
  if (!frame.training)
    return {"Train", "Start from random weights; undo brings back the current ones (Shift+T)"};
  switch (frame.training->state) {
    case TrainingState::running:
      return {"Pause", "Pause with the current weights (Shift+T)"};
    case TrainingState::finished:
      return {"More", "Train for as many steps again (Shift+T)"};
    case TrainingState::diverged:
    case TrainingState::refused:
      return {"Train", "Start again from random weights (Shift+T)"};
    default:
      return {"Train", "Continue from here (Shift+T)"};
  }
}

void buttons(Frame& frame) {
  const float spacing = frame.ui.px(6.0F);
  const float third = (ImGui::GetContentRegionAvail().x - 2.0F * spacing) / 3.0F;
  const PlayButton play = play_button(frame);
  if (button(frame.ui, play.label, play.meaning, "", ButtonLook::primary, third)) {
    if (frame.training && frame.training->state == TrainingState::finished) train_more(frame);
    frame.emit(CommandId::train);
  }
  ImGui::SameLine(0.0F, spacing);
  if (button(frame.ui, "Step", "One step: one batch of sentences (.)", "", ButtonLook::plain, third)) {
    frame.emit(CommandId::train_step);
  }
  ImGui::SameLine(0.0F, spacing);
  if (button(frame.ui, "Reset", "Random weights again, at step 0 (Shift+R)", "", ButtonLook::plain, third)) {
    frame.emit(CommandId::train_reset);
  }
}

void settings(Frame& frame) {
  TrainingSettings training = frame.session.training;
  constexpr int most_steps_by_mouse = 10000;
  if (slider_int(frame.ui, "steps", training.steps,
                 {1, std::max(most_steps_by_mouse, training.steps), 50, true},
                 setting("training.steps").sentence)) {
    frame.emit(SetTraining{training});
  }
  if (slider_float(frame.ui, "learning rate", training.learning_rate, {1e-4F, 1.0F, 4, true},
                   setting("training.learning_rate").sentence)) {
    frame.emit(SetTraining{training});
  }
  if (slider_int(frame.ui, "batch size", training.batch_size, {1, 512, 1, true},
                 setting("training.batch_size").sentence)) {
    frame.emit(SetTraining{training});
  }
  Architecture a = frame.session.architecture;
  if (number_field(frame.ui, "seed", a.seed, UINT32_MAX, setting("architecture.seed").sentence)) {
    frame.emit(SetArchitecture{a});
  }
}

/// Through the snapshots that were kept, back to the random weights of step 0.
void snapshots(Frame& frame) {
  if (!frame.training || !frame.session.model) return;
  const std::vector<Snapshot> film = film_of(*frame.training);
  if (film.size() < 2) return;
  auto shown = static_cast<int>(snapshot_near(film, frame.session.model->steps));
  section(frame.ui, "Look back");
  row(frame.ui, "showing step", grouped(frame.session.model->steps), true);
  const int last = static_cast<int>(film.size()) - 1;
  if (slider_int(frame.ui, "snapshot", shown, {0, last, 1, false},
                 "Earlier weights: 0 is before the first step, the last is now")) {
    look_back_to(frame, film[static_cast<std::size_t>(shown)]->steps);
  }
}

/// The choice of a task, if the session has none.
void choose_task(Frame& frame) {
  text(frame.ui, "Train", Font::sans_bold, text_size::title, frame.ui.theme().text);
  paragraph(frame.ui,
            "Random weights have no task to learn. Choose one: its model opens trained, and Reset lets you "
            "watch it learn from scratch.",
            frame.ui.theme().quiet, text_size::body);
  for (const TaskCommand& command : task_commands) {
    const Task& offered = task(command.task);
    ImGui::Dummy({0.0F, frame.ui.px(4.0F)});
    if (button(frame.ui, std::string(offered.title()).c_str(), "Choose this task", "", ButtonLook::primary,
               frame.ui.px(120.0F))) {
      frame.emit(command.opens);
    }
    paragraph(frame.ui, offered.summary(), frame.ui.theme().text, text_size::body);
  }
}

void save(Frame& frame) {
  if (!frame.session.model || !frame.session.model->name.empty()) return;
  if (link(frame.ui, "Save this model…", "Write it to a folder you can reopen")) {
    frame.screen.export_form.what = static_cast<int>(ExportKind::model);
    frame.screen.export_form.open = true;
  }
}

void side(Frame& frame, const Task& shown) {
  text(frame.ui, shown.title(), Font::sans_bold, text_size::title, frame.ui.theme().text);
  paragraph(frame.ui, shown.summary(), frame.ui.theme().quiet);
  ImGui::Dummy({0.0F, frame.ui.px(4.0F)});
  buttons(frame);
  training_bar(frame);
  section(frame.ui, "Training");
  settings(frame);
  parts_of_loss(frame, shown);
  // Whatever appears and disappears comes last, so that nothing moves under the mouse.
  training_problem(frame);
  snapshots(frame);
  save(frame);
}

/// The parts below the curves, or on pages of one panel.
struct TrainPages {
  bool has_curves = false;    ///< they have no place of their own
  bool has_training = false;  ///< nor have the buttons and settings
};

void pages(Frame& frame, const Task& shown, const TrainPages& which) {
  using Page = TrainPage;
  struct Named {
    Page page;
    Tab tab;
  };
  static const std::array<Named, enum_count<Page>> all{
      {{Page::training, {"Training", "", "Buttons, steps and learning rate"}},
       {Page::attention, {"Attention", "", "The selected head as it takes shape"}},
       {Page::targets,
        {"Targets", "", "Target words beside the model's predictions, for the sentence above"}},
       {Page::gradients, {"Gradients", "", "How the loss of the last batch changes with each weight"}},
       {Page::curves, {"Curves", "", "Loss and accuracy, step by step"}}}};
  std::vector<Page> offered;
  std::vector<Tab> tab_list;
  for (const Named& named : all) {
    if (named.page == Page::training && !which.has_training) continue;
    if (named.page == Page::curves && !which.has_curves) continue;
    offered.push_back(named.page);
    tab_list.push_back(named.tab);
  }
  Page& page = frame.screen.train.page;
  const auto at = std::ranges::find(offered, page);
  int selected = at == offered.end() ? 0 : static_cast<int>(at - offered.begin());
  const float room = ImGui::GetContentRegionAvail().x;
  if (tabs(frame.ui, "train pages", tab_list, selected, std::min(tabs_width(frame.ui, tab_list), room)))
    page = offered[static_cast<std::size_t>(selected)];
  constexpr bool padded = false;
  switch (offered[static_cast<std::size_t>(selected)]) {
    case Page::training:
      begin_child("training", ImGui::GetContentRegionAvail(), padded, ImGuiWindowFlags_None);
      side(frame, shown);
      return ImGui::EndChild();
    case Page::attention:
      page_part(frame, "train attention", train_attention_page, ImGui::GetContentRegionAvail());
      return;
    case Page::targets:
      return targets_part(frame);
    case Page::gradients:
      return gradient_part(frame);
    case Page::curves:
      return training_curves(frame);
  }
}

}  // namespace

void train_view(Frame& frame) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto kind = task_named(frame.session.task);
  if (!kind) {
    const Panel panel(frame.ui, "no task", room, PanelScroll::vertical);
    return choose_task(frame);
  }
  const Task& shown = task(*kind);
  const float left = std::min(frame.ui.px(side_width), room.x * 0.45F);
  constexpr float least_pages = 280.0F;
  if (room.x - left < frame.ui.px(least_pages)) {
    const Panel panel(frame.ui, "train page", room);
    return pages(frame, shown, {.has_curves = true, .has_training = true});
  }
  {
    const Panel panel(frame.ui, "training", {left, room.y}, PanelScroll::vertical);
    side(frame, shown);
  }
  ImGui::SameLine(0.0F, frame.ui.px(panel_gap));
  const float width = room.x - left - frame.ui.px(panel_gap);
  constexpr float least_page = 330.0F;
  const float above = frame.ui.px(210.0F);
  if (room.y - above < frame.ui.px(least_page)) {
    const Panel panel(frame.ui, "train page", {width, room.y});
    return pages(frame, shown, {.has_curves = true});
  }
  ImGui::BeginGroup();
  {
    const Panel panel(frame.ui, "curves", {width, above});
    training_curves(frame);
  }
  {
    const Panel panel(frame.ui, "train page", {width, room.y - above - frame.ui.px(panel_gap)});
    pages(frame, shown, {});
  }
  ImGui::EndGroup();
}

}  // namespace headscope
