#include "app/views/stages.h"

#include <algorithm>
#include <array>

#include "app/parts/stage_map.h"
#include "app/parts/stage_picker.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

struct Group {
  const char* title;
  std::vector<StageKind> kinds;
};

const std::array<Group, 5>& groups() {
  static const std::array<Group, 5> all{{
      {"What enters", {StageKind::embedding, StageKind::positions, StageKind::input}},
      {"Queries, keys and values", {StageKind::query, StageKind::key, StageKind::value}},
      {"Scores", {StageKind::raw, StageKind::scaled, StageKind::masked}},
      {"Weights and output", {StageKind::weights, StageKind::output, StageKind::contribution}},
      {"All heads together", {StageKind::concat, StageKind::projected}},
  }};
  return all;
}

void one_stage(Frame& frame, StageKind kind, ImVec2 size) {
  const StageId stage = selected_stage(frame, kind);
  const Theme& theme = frame.ui.theme();
  const bool chosen = kind == frame.session.selection.stage;
  ImGui::BeginGroup();
  const std::string shape = shape_text(frame.trace->value(stage));
  text_line(frame.ui,
            {{info(kind).name, Font::sans_bold, text_size::body, chosen ? theme.accent : theme.text},
             {shape, Font::mono, text_size::small, theme.quiet}});
  text(frame.ui, formula(*frame.trace, stage), Font::mono, text_size::small, theme.quiet);
  MapLook look;
  look.numbers = false;
  look.font_size = 11.0F;
  look.max_cell = 26.0F;
  const std::string slot = "stages " + std::string(info(kind).name);
  if (stage_map(frame, slot.c_str(), stage, size, look)) frame.emit(SelectStage{kind});
  ImGui::EndGroup();
}

}  // namespace

void stages_view(Frame& frame) {
  const Panel panel(frame.ui, "stages", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const Theme& theme = frame.ui.theme();
  const std::string title = "Head " + std::to_string(frame.session.selection.head) + ", step by step";
  text_line(frame.ui,
            {{title, Font::sans_bold, text_size::title, theme.text},
             {"click a cell to read how it came to be · [ and ] change the head", Font::sans,
              text_size::small, theme.quiet}},
            16.0F);
  if (!frame.trace) return;
  const float width = ImGui::GetContentRegionAvail().x;
  const float spacing = frame.ui.px(24.0F);
  const int columns = width > frame.ui.px(560.0F) ? 3 : 2;
  const float cell_width = (width - spacing * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float height = std::clamp(cell_width * 0.85F, frame.ui.px(120.0F), frame.ui.px(280.0F));
  for (const Group& group : groups()) {
    section(frame.ui, group.title);
    int column = 0;
    for (const StageKind kind : group.kinds) {
      if (!frame.trace->has(selected_stage(frame, kind))) continue;
      if (column % columns != 0) ImGui::SameLine(0.0F, spacing);
      one_stage(frame, kind, {cell_width, height});
      ++column;
    }
  }
}

}  // namespace headscope
