#include "app/views/tiles.h"

#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/parts/tile_controls.h"
#include "app/widgets/panel.h"

namespace headscope {

void tiles_view(Frame& frame) {
  const Panel panel(frame.ui, "tiles", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  head_picker(frame);
  tile_controls(frame);
  page_part(frame, PageName::tiles, ImGui::GetContentRegionAvail());
}

}  // namespace headscope
