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

Steps steps_from(int step) {
  return {step, last_watch_step, "Plays the row step by step", usual_seconds, slow_seconds};
}

}  // namespace

void begin_watching(Frame& frame) {
  frame.emit(set_to("watch.step", 1));
  start_playing(frame.screen.own.of<Watching>().play, steps_from(1));
  frame.emit(SetView{PageName::watch});
}

void watch_controls(Frame& frame) {
  StepPlay& playing = frame.screen.own.of<Watching>().play;
  int step = std::clamp(frame.session.watch_step, 1, last_watch_step);
  if (const auto next = step_player(frame, playing, steps_from(step)))
    frame.emit(set_to("watch.step", *next));
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  if (slider_in_line(frame, "step", step, 1, last_watch_step, setting("watch.step").sentence,
                     frame.ui.px(220.0F)))
    frame.emit(set_to("watch.step", step));
}

}  // namespace headscope
