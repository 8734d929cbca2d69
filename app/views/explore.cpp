#include "app/views/explore.h"

#include <algorithm>
#include <cmath>

#include "app/parts/page_part.h"
#include "app/parts/stage_picker.h"
#include "app/parts/token_strip_part.h"
#include "app/widgets/panel.h"
#include "core/page/explore_page.h"

namespace headscope {
namespace {

void small_heads(Frame& frame) {
  const PageAnswer mouse = page_part(frame, "small heads", small_heads_page, ImGui::GetContentRegionAvail());
  if (!mouse.clicked || frame.screen.paint_mode) return;
  if (const auto* cells = mouse.on<StageCells>()) frame.emit(SelectHead{cells->stage.head});
  if (const auto* area = mouse.on<HeadArea>()) frame.emit(SelectHead{area->head});
}

void large_map(Frame& frame) {
  stage_picker(frame);
  stages_or_weights(frame);
  page_part(frame, "large", large_map_page, ImGui::GetContentRegionAvail());
}

/// What whole rows of a long sentence take up, up to `most` ImGui pixels; 0 where it has one row. Rows of two
/// sentences are all shown, up to a number of them: a line is seen only where both its ends are.
float height_of_rows(const Frame& frame, float most) {
  const TokenStripLayout& strip = frame.screen.strip.layout;
  if (strip.n_rows <= 1) return 0.0F;
  constexpr float below = 16.0F;
  constexpr int most_rows_of_two = 8;
  const float around = frame.screen.strip_header + below;
  const float room = most / frame.ui.scale() - around;
  int rows = strip.two_sentences ? std::min(strip.n_rows, most_rows_of_two) : 1;
  while (rows < strip.n_rows && strip.height_of(rows + 1) <= room) ++rows;
  return frame.ui.px(around + strip.height_of(rows) + 1.0F);
}

}  // namespace

void explore_view(Frame& frame) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float spacing = frame.ui.px(panel_gap);
  const float one_row = std::clamp(room.y * 0.24F, frame.ui.px(148.0F), frame.ui.px(200.0F));
  const float strip_height = std::max(one_row, height_of_rows(frame, room.y * 0.4F));
  {
    const Panel panel(frame.ui, "strip", {room.x, strip_height});
    const ImVec2 inside = ImGui::GetContentRegionAvail();
    const float top = ImGui::GetCursorPosY();
    token_strip_part(frame, {inside.x, inside.y + top});
  }
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y + spacing);
  const float narrow = frame.ui.px(560.0F);
  const float heads_width = std::clamp(room.x * 0.24F, frame.ui.px(96.0F), frame.ui.px(232.0F));
  const bool with_heads = room.x > narrow;
  // In a low window the view scrolls rather than shrinking its map beyond reading; and then there is room.
  const float left = ImGui::GetContentRegionAvail().y;
  const float height = left >= frame.ui.px(372.0F) ? left : frame.ui.px(480.0F);
  if (with_heads) {
    {
      const Panel panel(frame.ui, "all heads", {heads_width, height}, PanelScroll::vertical);
      small_heads(frame);
    }
    ImGui::SameLine(0.0F, spacing);
  }
  const Panel panel(frame.ui, "stage", {ImGui::GetContentRegionAvail().x, height});
  large_map(frame);
}

}  // namespace headscope
