#include "app/views/explore.h"

#include <algorithm>
#include <cmath>

#include "app/parts/stage_map.h"
#include "app/parts/stage_picker.h"
#include "app/parts/token_strip_part.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

/// The greatest side up to `room` (ImGui pixels) that square cells fill without a rest.
float whole_cells(float room, int n, float scale) {
  const float cell = std::floor(room / scale / static_cast<float>(n));
  return cell >= 1.0F ? cell * static_cast<float>(n) * scale : room;
}

/// Small maps of all heads below each other, two in a row where there is room.
void small_heads(Frame& frame, StageKind kind) {
  const int n_heads = frame.trace ? frame.trace->architecture().n_heads : 0;
  const float width = ImGui::GetContentRegionAvail().x;
  const float spacing = frame.ui.px(panel_gap);
  const int columns = n_heads > 4 ? 2 : 1;
  const float side =
      whole_cells((width - spacing * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                  frame.trace ? frame.trace->n_tokens() : 1, frame.ui.scale());
  const float label = frame.ui.px(16.0F);
  MapLook look;
  look.labels = false;
  look.color_bar = false;
  look.numbers = false;
  look.max_cell = 24.0F;
  look.pins = false;
  for (int head = 0; head < n_heads; ++head) {
    StageId id = selected_stage(frame, kind);
    id.head = head;
    ImGui::BeginGroup();
    const bool chosen = head == frame.session.selection.head;
    const Theme& theme = frame.ui.theme();
    text(frame.ui, "head " + std::to_string(head), chosen ? Font::sans_bold : Font::sans, text_size::small,
         chosen ? theme.accent : theme.quiet);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const MatrixView values = frame.trace->value(id);
    const float aspect =
        values.empty() ? 1.0F : static_cast<float>(values.rows) / static_cast<float>(values.cols);
    const float height = std::max(label, std::min(side * aspect, side));
    const std::string slot = "small head " + std::to_string(head);
    stage_map(frame, slot.c_str(), id, {side, height}, look);
    if (ImGui::IsItemClicked() && !frame.screen.paint_mode) frame.emit(SelectHead{head});
    if (chosen) {
      const float border = frame.ui.px(2.0F);
      ImGui::GetWindowDrawList()->AddRect({corner.x - border, corner.y - border},
                                          {corner.x + side + border, corner.y + height + border},
                                          packed(theme.accent), frame.ui.px(4.0F), 0, border);
    }
    ImGui::EndGroup();
    if (columns == 2 && head % 2 == 0 && head + 1 < n_heads) ImGui::SameLine(0.0F, spacing);
  }
}

void large_map(Frame& frame) {
  const StageId stage = selected_stage(frame, frame.session.selection.stage);
  stage_picker(frame);
  stage_caption(frame, stage);
  MapLook look;
  look.zoomable = true;
  look.max_cell = 64.0F;
  stage_map(frame, "large", stage, ImGui::GetContentRegionAvail(), look);
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
  const StageKind chosen = frame.session.selection.stage;
  const StageKind small = info(chosen).scope == StageScope::head ? chosen : StageKind::weights;
  const float narrow = frame.ui.px(560.0F);
  const float heads_width = std::clamp(room.x * 0.24F, frame.ui.px(96.0F), frame.ui.px(232.0F));
  const bool with_heads = room.x > narrow;
  // In a low window the view scrolls rather than shrinking its map beyond reading; and then there is room.
  const float left = ImGui::GetContentRegionAvail().y;
  const float height = left >= frame.ui.px(372.0F) ? left : frame.ui.px(480.0F);
  if (with_heads) {
    {
      const Panel panel(frame.ui, "all heads", {heads_width, height}, PanelScroll::vertical);
      const Theme& theme = frame.ui.theme();
      text_line(frame.ui, {{"All heads", Font::sans_bold, text_size::body, theme.text},
                           {info(small).name, Font::sans, text_size::small, theme.quiet}});
      small_heads(frame, small);
    }
    ImGui::SameLine(0.0F, spacing);
  }
  const Panel panel(frame.ui, "stage", {ImGui::GetContentRegionAvail().x, height});
  large_map(frame);
}

}  // namespace headscope
