#include "app/parts/training_status.h"

#include <cmath>

#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

void bar(Frame& frame, const TrainingProgress& now, const std::string& value) {
  const float share = static_cast<float>(now.steps) / static_cast<float>(std::max(now.wanted_steps, 1));
  bar_row(frame.ui, "step " + grouped(now.steps) + " of " + grouped(now.wanted_steps), share, value,
          frame.ui.theme().accent);
}

}  // namespace

std::string about(double seconds) {
  constexpr double a_minute = 60.0;
  constexpr double an_hour = 3600.0;
  const auto counted = [](double n, const char* unit) {
    return grouped(static_cast<int>(std::ceil(n))) + " " + unit;
  };
  if (seconds < 2.0 * a_minute) return counted(seconds, "s");
  return seconds < 2.0 * an_hour ? counted(seconds / a_minute, "min") : counted(seconds / an_hour, "h");
}

void training_status(Frame& frame, TrainingButtons buttons) {
  if (!frame.training) return;
  const bool has_buttons = buttons == TrainingButtons::shown;
  const TrainingProgress& now = *frame.training;
  switch (now.state) {
    case TrainingState::running:
      bar(frame, now, about(now.seconds_left) + " left");
      if (has_buttons && link(frame.ui, "Stop", "Keep the weights as they are now"))
        frame.emit(CommandId::train);
      break;
    case TrainingState::waiting:
      paragraph(frame.ui,
                "Not trained yet: " + grouped(now.wanted_steps) + " steps take about " +
                    about(now.seconds_left) + " on this machine.",
                frame.ui.theme().quiet);
      if (has_buttons && button(frame.ui, ("Train (" + about(now.seconds_left) + ")").c_str(),
                                "Train this architecture in the background", "", ButtonLook::primary)) {
        frame.emit(CommandId::train);
      }
      break;
    case TrainingState::paused:
      bar(frame, now, "stopped");
      if (has_buttons && link(frame.ui, "Train on", "Go on from here")) frame.emit(CommandId::train);
      break;
    case TrainingState::finished:
      bar(frame, now, "done");
      break;
    case TrainingState::diverged:
      notice(frame.ui, now.problem + ".", NoticeKind::warning);
      break;
    case TrainingState::refused:
      notice(frame.ui,
             "Not trained" + std::string(frame.session.model ? "" : ", so the weights are random") + ": " +
                 now.problem + ".",
             NoticeKind::warning);
      break;
  }
}

}  // namespace headscope
