#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/parts/step_player.h"
#include "app/views/page_views.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"

namespace headscope {

void watch_view(Frame& frame) {
  const Panel panel(frame.ui, "watch", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  head_picker(frame);
  watch_controls(frame);
  if (frame.session.selection.attention == AttentionKind::self)
    text_line(frame.ui,
              {{"Click a word to watch its row.", Font::sans, text_size::small, frame.ui.theme().quiet}});
  const PageAnswer mouse = page_part(frame, PageName::watch, ImGui::GetContentRegionAvail());
  const auto* token = mouse.on<TokenArea>();
  if (token == nullptr || frame.session.selection.attention != AttentionKind::self) return;
  tooltip(frame.ui, "Click to watch the row of this word");
  if (mouse.clicked) frame.emit(SelectToken{token->place});
}

}  // namespace headscope
