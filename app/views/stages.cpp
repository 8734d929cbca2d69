#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/views/page_views.h"
#include "app/widgets/panel.h"

namespace headscope {

void stages_view(Frame& frame) {
  const Panel panel(frame.ui, "stages", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  head_picker(frame);
  const PageAnswer mouse = page_part(frame, PageName::stages, ImGui::GetContentRegionAvail());
  const auto* cells = mouse.on<StageCells>();
  if (cells != nullptr && mouse.clicked && !frame.screen.marks_cells())
    frame.emit(SelectStage{cells->stage.kind});
}

}  // namespace headscope
