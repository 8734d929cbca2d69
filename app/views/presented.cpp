#include <algorithm>

#include "app/parts/page_part.h"
#include "app/views/page_views.h"
#include "app/widgets/panel.h"

namespace headscope {
void presented_view(Frame& frame, bool follows_stages) {
  const Panel panel(frame.ui, "presented", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const PageAnswer page =
      page_part(frame, frame.session.view, ImGui::GetContentRegionAvail(), Follows::mouse);
  // Scrolls once to a stage that a step has reached.
  const StageId stage = selected_stage(frame, frame.session.selection.stage);
  if (frame.screen.presented == stage || !follows_stages) return;
  frame.screen.presented = stage;
  const auto region = std::ranges::find_if(page.page->regions, [&](const HitRegion& part) {
    const auto* cells = std::get_if<StageCells>(&part.means);
    return cells != nullptr && cells->stage == stage;
  });
  if (region == page.page->regions.end()) return;
  const float middle = page.origin.y + (region->box.y + 0.5F * region->box.h) * frame.ui.page_scale();
  ImGui::SetScrollFromPosY(middle - ImGui::GetWindowPos().y, 0.5F);
  frame.ui.wake_in(0.0);
}

}  // namespace headscope
