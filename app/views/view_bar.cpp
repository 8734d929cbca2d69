#include <algorithm>
#include <vector>

#include "app/views/window_parts.h"
#include "app/widgets/tabs.h"

namespace headscope {
namespace {

/// The views of the workspace that is shown, without those that a lesson leaves out.
std::vector<const PageRecord*> views_beside(const Frame& frame, const PageRecord& shown) {
  std::vector<const PageRecord*> views;
  for (const PageRecord& page : page_records()) {
    if (page.workspace != shown.workspace) continue;
    if (page.name == shown.name || frame.is_enabled(page.name)) views.push_back(&page);
  }
  return views;
}

}  // namespace

void view_bar(Frame& frame) {
  Ui& ui = frame.ui;
  const PageRecord& shown = page_record(frame.session.view);
  const std::vector<const PageRecord*> views = views_beside(frame, shown);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  float left = ui.px(4.0F);
  if (views.size() > 1) {
    std::vector<Tab> entries;
    entries.reserve(views.size());
    for (const PageRecord* view : views) {
      entries.push_back(
          {std::string(view->title), "", frame.with_keys(std::string(view->purpose), view->name)});
    }
    int selected = static_cast<int>(std::ranges::find(views, &shown) - views.begin());
    // Tabs that do not fit scroll. They leave room for messages whether there are any or not.
    constexpr float messages_width = 120.0F;
    const float width =
        std::min(tabs_width(ui, entries), std::max(room - ui.px(messages_width), 0.5F * room));
    if (tabs(ui, "views", entries, selected, width))
      frame.emit(views[static_cast<std::size_t>(selected)]->name);
    left = width + ui.px(16.0F);
  }
  ImGui::SetCursorScreenPos({start.x + left, start.y});
}

}  // namespace headscope
