#include "app/parts/watch_controls.h"

#include <algorithm>

#include "app/parts/step_player.h"
#include "app/widgets/controls.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr double usual_seconds = 2.5;
constexpr double slow_seconds = 6.0;

struct Watching {
  StepPlay play;
};

}  // namespace

void begin_watching(Frame& frame) {
  frame.emit(set_to("watch.step", 1));
  StepPlay& play = frame.screen.own.of<Watching>().play;
  play.on = true;
  play.next_at = ImGui::GetTime() + (play.is_slow ? slow_seconds : usual_seconds);
  frame.emit(SetView{PageName::watch});
}

void watch_controls(Frame& frame) {
  StepPlay& playing = frame.screen.own.of<Watching>().play;
  int step = std::clamp(frame.session.watch_step, 1, last_watch_step);
  const Steps steps{step, last_watch_step, "Plays the row step by step", usual_seconds, slow_seconds};
  if (const auto next = step_player(frame, playing, steps)) frame.emit(set_to("watch.step", *next));
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  if (slider_in_line(frame, "step", step, 1, last_watch_step, setting("watch.step").sentence,
                     frame.ui.px(220.0F)))
    frame.emit(set_to("watch.step", step));
}

}  // namespace headscope
