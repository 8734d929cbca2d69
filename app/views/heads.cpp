#include "app/views/heads.h"

#include "app/parts/page_part.h"
#include "app/parts/stage_picker.h"
#include "app/widgets/panel.h"

namespace headscope {

void heads_view(Frame& frame) {
  const Panel panel(frame.ui, "heads", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  stage_picker(frame);
  stages_or_weights(frame);
  page_part(frame, PageName::heads, ImGui::GetContentRegionAvail());
}

}  // namespace headscope
