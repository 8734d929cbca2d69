#include "app/views/heads.h"

#include <algorithm>
#include <cmath>

#include "app/parts/stage_map.h"
#include "app/parts/stage_picker.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

/// A tile with a map, its labels and its colour bar is not smaller, in design units: more tiles scroll.
constexpr float least_tile_width = 200.0F;
constexpr float least_tile_height = 150.0F;

/// Columns that make the maps largest; each map has `beside` of its width for its colour bar, and no tile is
/// narrower than `least_width`.
int best_columns(int n, ImVec2 room, float caption, float beside, float spacing, float least_width) {
  int best = 1;
  float largest = 0.0F;
  const int most = std::clamp(static_cast<int>((room.x + spacing) / (least_width + spacing)), 1, n);
  for (int columns = 1; columns <= most; ++columns) {
    const int rows = (n + columns - 1) / columns;
    const float width = (room.x - spacing * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float height = room.y / static_cast<float>(rows) - caption - spacing;
    const float side = std::min(width - beside, height);
    if (side > largest) {
      largest = side;
      best = columns;
    }
  }
  return best;
}

}  // namespace

void heads_view(Frame& frame) {
  const Panel panel(frame.ui, "heads", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  stage_picker(frame);
  const StageKind kind = frame.session.selection.stage;
  const bool per_head = info(kind).scope == StageScope::head;
  const int n = per_head ? frame.trace->architecture().n_heads : 1;
  stage_caption(frame, selected_stage(frame, kind));
  const float spacing = frame.ui.px(16.0F);
  const float caption = frame.ui.px(24.0F);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  // In a low window, which scrolls anyway, tiles are higher.
  const bool is_low = room.y < frame.ui.px(1.5F * least_tile_height);
  const float least_height = is_low ? 1.5F * least_tile_height : least_tile_height;
  const int columns =
      best_columns(n, room, caption, frame.ui.px(90.0F), spacing, frame.ui.px(least_tile_width));
  const int rows = (n + columns - 1) / columns;
  const float width =
      std::floor((room.x - spacing * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const float height =
      std::max(room.y / static_cast<float>(rows) - caption - spacing, frame.ui.px(least_height));
  MapLook look;
  const bool is_small = std::min(width, height) < frame.ui.px(240.0F);
  look.font_size = is_small ? 9.0F : 11.0F;
  for (int head = 0; head < n; ++head) {
    if (head % columns != 0) ImGui::SameLine(0.0F, spacing);
    StageId stage = selected_stage(frame, kind);
    if (per_head) stage.head = head;
    const Theme& theme = frame.ui.theme();
    const bool chosen = per_head && head == frame.session.selection.head;
    ImGui::BeginGroup();
    text(frame.ui, per_head ? "head " + std::to_string(head) : std::string(info(kind).title),
         chosen ? Font::sans_bold : Font::sans, text_size::small, chosen ? theme.accent : theme.quiet);
    const std::string slot = "heads " + std::to_string(head);
    stage_map(frame, slot.c_str(), stage, {width, height}, look);
    ImGui::EndGroup();
  }
}

}  // namespace headscope
