#include "app/parts/training_status.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/model/trained_model.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

void bar(Frame& frame, int steps, int wanted, const std::string& value) {
  const float share = static_cast<float>(steps) / static_cast<float>(std::max(wanted, 1));
  const std::string numbers = grouped(steps) + " of " + grouped(wanted);
  const std::string full = "step " + numbers;
  const auto width = [&](const std::string& text, Font font) {
    return frame.ui.measure()(text, font, text_size::control).width * frame.ui.scale();
  };
  const float room = ImGui::GetContentRegionAvail().x - width(value, Font::mono) - frame.ui.px(16.0F);
  bar_row(frame.ui, width(full, Font::sans) <= room ? full : numbers, share, value, frame.ui.theme().data);
}

std::string state_text(const TrainingProgress& now) {
  switch (now.state) {
    case TrainingState::running:
      if (now.steps == 0) return "starting";
      return about(now.seconds_left) + " left";
    case TrainingState::waiting:
      return "about " + about(now.seconds_left);
    case TrainingState::paused:
      return "paused";
    case TrainingState::finished:
      return "done";
    case TrainingState::diverged:
      return "diverged";
    case TrainingState::refused:
      return "refused";
    case TrainingState::discarded:
      return "";
  }
  return {};
}

/// The links that start and stop training, in fixed places, so that a second click never hits another link.
void training_links(Frame& frame, const TrainingProgress& now) {
  const float second = ImGui::GetCursorPosX() + frame.ui.px(56.0F);
  const bool runs = now.state == TrainingState::running;
  const bool waits = now.state == TrainingState::waiting;
  if (!runs && !waits && now.state != TrainingState::paused) return;
  if (runs) {
    ImGui::SetCursorPosX(second);
    command_link(frame, "Pause", "Stops training and keeps these weights", CommandId::train);
    return;
  }
  const std::string meaning = waits
                                  ? "Train this model in the background: it takes " + about(now.seconds_left)
                                  : std::string("Train from here on");
  command_link(frame, "Train", meaning, CommandId::train);
  if (!waits) return;
  ImGui::SameLine();
  ImGui::SetCursorPosX(second);
  text(frame.ui, "not trained yet", Font::sans, text_size::control, frame.ui.theme().warning);
}

}  // namespace

std::string about(double seconds) {
  constexpr double a_minute = 60.0;
  constexpr double an_hour = 3600.0;
  const auto count_text = [](double n, const char* unit) {
    return grouped(static_cast<int>(std::ceil(n))) + " " + unit;
  };
  if (seconds < 2.0 * a_minute) return count_text(seconds, "s");
  return seconds < 2.0 * an_hour ? count_text(seconds / a_minute, "min") : count_text(seconds / an_hour, "h");
}

void training_bar(Frame& frame) {
  if (frame.training) {
    const TrainingProgress& now = *frame.training;
    return bar(frame, now.steps, std::max(now.total_steps, 1), state_text(now));
  }
  const int steps = frame.session.model ? frame.session.model->steps : 0;
  if (steps > 0)
    return bar_row(frame.ui, grouped(steps) + " steps", 1.0F, "trained earlier", frame.ui.theme().data);
  bar(frame, 0, frame.session.training.steps, "");
}

std::string training_problem(const Frame& frame) {
  if (!frame.training) return {};
  const TrainingProgress& now = *frame.training;
  if (now.state == TrainingState::diverged) return now.problem;
  if (now.state != TrainingState::refused) return {};
  return "Not trained" + std::string(frame.session.model ? "" : ", so the weights are random") + ": " +
         now.problem;
}

void training_status(Frame& frame) {
  if (!frame.training) return;
  if (frame.shows_snapshot()) {
    bar(frame, frame.session.model->steps, frame.training->total_steps, "a snapshot");
    if (link(frame.ui, "Back to latest", "The weights as they are now"))
      frame.emit(CommandId::show_latest_weights);
    return;
  }
  training_bar(frame);
  training_links(frame, *frame.training);
}

void loss_components(Frame& frame, const Task& shown) {
  if (!frame.training || frame.training->parts.size() != shown.parts().size()) return;
  section(frame.ui, "Loss of the last batch, nats");
  double loss = 0.0;
  double weights = 0.0;
  for (std::size_t p = 0; p < shown.parts().size(); ++p) {
    const LossPart& part = shown.parts()[p];
    loss += static_cast<double>(part.weight) * frame.training->parts[p];
    weights += static_cast<double>(part.weight);
    row(frame.ui, part.name + " × " + number_text(part.weight, 3), number_text(frame.training->parts[p], 3));
  }
  row(frame.ui, "weighted mean", number_text(loss / weights, 3));
}

}  // namespace headscope
