#include <algorithm>
#include <cmath>

#include "app/parts/page_part.h"
#include "app/views/page_views.h"
#include "app/widgets/panel.h"

namespace headscope {
namespace {

/// Shrinks a page that is slightly too high; a much higher one scrolls at its size.
void fit(Frame& frame, const PageMouse& page, float room) {
  // The size of the window is used, because it does not depend on whether there is a scroll bar.
  const ImVec2 window = ImGui::GetWindowSize();
  PresentedFit& fit = frame.screen.presented_fit;
  const bool is_same = fit.view == frame.session.view && fit.trace == frame.trace &&
                       fit.compared == frame.compared && fit.width == window.x && fit.height == window.y;
  if (!is_same) fit = {frame.session.view, frame.trace, frame.compared, window.x, window.y};
  const float height = page.page->figure.height * frame.ui.page_scale();
  if (fit.scrolls || height <= room) return;
  constexpr float least = 0.6F;
  constexpr float steps = 20.0F;
  const float share = std::floor(steps * fit.share * room / height) / steps;
  fit.scrolls = share < least;
  fit.share = fit.scrolls ? 1.0F : share;
  frame.ui.wake_in(0.0);
}

}  // namespace

void scroll_to_stage(Frame& frame, const PageMouse& page) {
  const StageId stage = selected_stage(frame, frame.session.selection.stage);
  if (frame.screen.presented == stage) return;
  frame.screen.presented = stage;
  const auto region = std::ranges::find_if(page.page->regions, [&](const HitRegion& part) {
    const auto* cells = std::get_if<StageCells>(&part.meaning);
    return cells != nullptr && cells->stage == stage;
  });
  if (region == page.page->regions.end()) return;
  const float top = page.origin.y + region->box.y * frame.ui.page_scale() - ImGui::GetWindowPos().y;
  const float height = region->box.h * frame.ui.page_scale();
  const float title = frame.ui.px(72.0F);  // The title and the formula stand above the cells.
  if (top >= title && top + height <= ImGui::GetWindowHeight()) return;
  ImGui::SetScrollFromPosY(top - title + 0.5F * (height + title), 0.5F);
  frame.ui.wake_in(0.0);
}

void presented_view(Frame& frame) {
  const Panel panel(frame.ui, "presented", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const PageMouse page =
      draw_page(frame, frame.session.view, room,
                frame.session.view == PageName::watch ? PageDependency::step : PageDependency::mouse);
  // On other pages, large letters matter more than seeing all at once.
  if (frame.session.view == PageName::compare) fit(frame, page, room.y);
  scroll_to_stage(frame, page);
}

}  // namespace headscope
