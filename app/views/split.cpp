#include "app/views/split.h"

#include "app/widgets/panel.h"

namespace headscope {

void split_view(Frame& frame) {
  const Panel panel(frame.ui, "split", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
}

}  // namespace headscope
