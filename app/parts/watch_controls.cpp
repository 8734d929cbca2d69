#include "app/parts/watch_controls.h"

#include <algorithm>

#include "app/parts/step_player.h"
#include "app/widgets/controls.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr double usual_seconds = 2.5;
constexpr double slow_seconds = 6.0;

}  // namespace

void begin_watching(Frame& frame) {
  frame.emit(set_to("watch.step", 1));
  frame.screen.watch_play = {true, ImGui::GetTime() + usual_seconds};
  frame.emit(SetView{PageName::watch});
}

void watch_controls(Frame& frame) {
  StepPlay& playing = frame.screen.watch_play;
  int step = std::clamp(frame.session.watch_step, 1, last_watch_step);
  const Steps steps{step, last_watch_step, "Plays the row step by step",
                    frame.screen.watches_slowly ? slow_seconds : usual_seconds};
  if (const auto next = step_player(frame, playing, steps)) frame.emit(set_to("watch.step", *next));
  ImGui::SameLine();
  const float widest = std::max(button_width(frame.ui, "Faster"), button_width(frame.ui, "Slower"));
  if (button(frame.ui, frame.screen.watches_slowly ? "Faster" : "Slower", "How long each step stays", "",
             ButtonLook::plain, widest))
    frame.screen.watches_slowly = !frame.screen.watches_slowly;
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  if (slider_in_line(frame, "step", step, 1, last_watch_step, setting("watch.step").sentence,
                     frame.ui.px(220.0F)))
    frame.emit(set_to("watch.step", step));
}

}  // namespace headscope
