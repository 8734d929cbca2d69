#include "app/views/heads.h"

#include <algorithm>

#include "app/parts/head_controls.h"
#include "app/parts/page_part.h"
#include "app/parts/stage_picker.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/measures/measure_table.h"
#include "core/page/heads/heads_page.h"

namespace headscope {
namespace {

/// Describes the head under the mouse: what it does, and how to open it.
std::string said_of_head(Frame& frame, const HeadPlace& place) {
  PageTools tools = page_tools(frame);
  const HeadValues values = head_values(page_inputs(frame), tools);
  return head_sentence(place, values) + "\nClick to open it, Ctrl+click to pick several.";
}

/// Says what a measure is. A click sorts the heads by it.
void answer_on_measure(Frame& frame, HeadMeasure measure, bool clicked) {
  const MeasureRecord& record = record_of(measure);
  tooltip(frame.ui, std::string(record.title) + ": " + std::string(record.meaning) +
                        "\nClick to sort the heads by it.");
  if (!clicked) return;
  HeadsOptions heads = frame.session.heads;
  heads.sorted_by = measure;
  frame.emit(SetHeads{heads});
}

/// The list with the place added, or removed if it was there, as Ctrl+click and Shift+click change it.
std::vector<HeadPlace> toggled(std::vector<HeadPlace> heads, const HeadPlace& place) {
  if (std::erase(heads, place) == 0) heads.push_back(place);
  return heads;
}

/// Scrolls the view down until the large map is visible.
void bring_into_view(const Frame& frame, const Page& page, ImVec2 origin) {
  for (const HitRegion& region : page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.means);
    if (cells == nullptr || cells->slot != "large") continue;
    const float bottom = origin.y + frame.ui.px(region.box.bottom() + 24.0F);
    const float below = bottom - (ImGui::GetWindowPos().y + ImGui::GetWindowHeight());
    if (below > 0.0F) ImGui::SetScrollY(ImGui::GetScrollY() + below);
  }
}

}  // namespace

void heads_view(Frame& frame) {
  const Panel panel(frame.ui, "heads", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  stage_bar(frame);
  head_controls(frame);
  if (frame.screen.is(ClickMode::covering))
    text_line(frame.ui, {{"Click or drag over cells of the large map to cover them · Shift+W ends",
                          Font::sans, text_size::small, frame.ui.theme().quiet}});
  const PageAnswer mouse = page_part(frame, PageName::heads, ImGui::GetContentRegionAvail());
  if (const auto* area = mouse.on<MeasureArea>()) answer_on_measure(frame, area->measure, mouse.clicked);
  const auto* tile = mouse.on<HeadTile>();
  if (tile == nullptr || frame.screen.marks_cells()) return;
  tooltip(frame.ui, said_of_head(frame, tile->place));
  if (!mouse.clicked) return;
  if (ImGui::GetIO().KeyCtrl || ImGui::GetIO().KeyShift) {
    frame.emit(PickHeads{toggled(frame.session.selection.heads, tile->place)});
  } else {
    frame.emit(OpenHead{tile->place});
    bring_into_view(frame, *mouse.page, mouse.origin);
  }
}

}  // namespace headscope
