#include "app/views/positions.h"

#include "app/widgets/panel.h"

namespace headscope {

void positions_view(Frame& frame) {
  const Panel panel(frame.ui, "positions", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
}

}  // namespace headscope
