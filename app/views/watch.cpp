#include "app/views/watch.h"

#include <algorithm>

#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/parts/step_player.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr double usual_seconds = 1.6;
constexpr double slow_seconds = 4.0;

void controls(Frame& frame) {
  StepPlay& playing = frame.screen.watch_play;
  int step = std::clamp(frame.session.watch_step, 1, last_watch_step);
  const Steps steps{step, last_watch_step, "Plays the row step by step",
                    frame.screen.watches_slowly ? slow_seconds : usual_seconds};
  if (const auto next = step_player(frame, playing, steps)) frame.emit(SelectWatched{*next});
  ImGui::SameLine();
  if (button(frame.ui, frame.screen.watches_slowly ? "Faster" : "Slower", "How long each step stays"))
    frame.screen.watches_slowly = !frame.screen.watches_slowly;
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  if (slider_in_line(frame, "step", step, 1, last_watch_step, setting("watch.step").sentence,
                     frame.ui.px(220.0F)))
    frame.emit(SelectWatched{step});
}

}  // namespace

void watch_view(Frame& frame) {
  const Panel panel(frame.ui, "watch", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  place_picker(frame);
  controls(frame);
  const PageAnswer mouse = page_part(frame, PageName::watch, ImGui::GetContentRegionAvail());
  const auto* token = mouse.on<TokenArea>();
  if (token == nullptr || frame.session.selection.attention != AttentionKind::self) return;
  tooltip(frame.ui, "Click to watch the row of this word");
  if (mouse.clicked) frame.emit(SelectToken{token->place});
}

}  // namespace headscope
