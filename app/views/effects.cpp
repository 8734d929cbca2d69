#include "app/parts/intervention_controls.h"
#include "app/parts/page_part.h"
#include "app/views/page_views.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/effects/effects_page.h"

namespace headscope {

void effects_view(Frame& frame) {
  const Panel panel(frame.ui, "effects", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  intervention_bar(frame);
  const PageAnswer mouse = page_part(frame, PageName::effects, ImGui::GetContentRegionAvail());
  const PageInputs& in = page_inputs(frame);
  if (const auto* bar = mouse.on<HeadBar>()) {
    PageTools tools = page_tools(frame);
    const std::string said = said_of_effect(in, tools, bar->head);
    if (!said.empty()) tooltip(frame.ui, said);
    if (mouse.clicked) {
      frame.emit(SelectPlace{bar->head.stack, bar->head.layer, bar->head.attention});
      frame.emit(SelectHead{bar->head.head});
    }
  }
  if (const auto* word = mouse.on<WordArea>(); word != nullptr && mouse.clicked && word->word) {
    const std::string& clicked = in.trace->vocabulary()[static_cast<std::size_t>(*word->word)];
    // A second click makes the page follow the likeliest word again.
    frame.emit(SelectWord{clicked == frame.session.selection.word ? "" : clicked});
  }
}

}  // namespace headscope
