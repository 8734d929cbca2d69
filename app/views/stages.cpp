#include "app/views/stages.h"

#include <algorithm>
#include <array>

#include "app/parts/place_picker.h"
#include "app/parts/stage_map.h"
#include "app/parts/stage_picker.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/enum_count.h"

namespace headscope {
namespace {

/// A heading for each section of the page.
constexpr auto headings = one_for_each<PageSection, const char*>(
    "", "What enters the model", "What enters the layer", "Queries, keys and values", "Scores",
    "Weights and output", "Back to the model's width", "Feed-forward, token by token",
    "What leaves the stack");

/// The page is about one layer: what enters the model belongs to the first, what leaves it to the last. In
/// one layer without a final norm that would only repeat its output.
bool belongs_to_page(const Frame& frame, StageKind kind) {
  const Selection& selection = frame.session.selection;
  const Architecture& a = frame.trace->architecture();
  const StageScope scope = info(kind).scope;
  if (kind == StageKind::stack_output) {
    return selection.layer == a.n_layers - 1 && (a.n_layers > 1 || a.norm == Norm::pre);
  }
  if (scope == StageScope::stack) return selection.layer == 0;
  if (kind == StageKind::layer_input && selection.layer == 0) return false;
  return frame.trace->has(selection.at(kind));
}

/// What the page shows in one of its sections.
std::vector<StageKind> kinds_in(const Frame& frame, PageSection part) {
  std::vector<StageKind> kinds;
  for (const StageInfo& about : all_stage_kinds()) {
    if (about.section != part || !belongs_to_page(frame, about.kind)) continue;
    if (frame.trace->has(selected_stage(frame, about.kind))) kinds.push_back(about.kind);
  }
  return kinds;
}

/// The number of maps side by side, and the height of each: wide maps get the whole width.
struct GroupLayout {
  int columns = 1;
  ImVec2 cell;
};

GroupLayout layout_of(const Frame& frame, const std::vector<StageKind>& kinds, float width, float spacing) {
  constexpr float wide = 2.5F;
  float aspect = 0.0F;
  float widest = 0.0F;
  for (const StageKind kind : kinds) {
    const MatrixView values = frame.trace->value(selected_stage(frame, kind));
    const auto rows = static_cast<float>(values.rows);
    const auto cols = static_cast<float>(values.cols);
    aspect = std::max(aspect, rows / cols);
    widest = std::max(widest, cols / rows);
  }
  const auto n = static_cast<int>(kinds.size());
  GroupLayout layout;
  const bool is_narrow = width <= frame.ui.px(480.0F);
  const int most = is_narrow ? 1 : width > frame.ui.px(640.0F) ? 3 : 2;
  if (widest < wide) layout.columns = std::min(n, most);
  const auto columns = static_cast<float>(std::max(layout.columns, widest < wide && !is_narrow ? 2 : 1));
  layout.cell.x = (width - spacing * (columns - 1.0F)) / columns;
  const float room_of_labels = frame.ui.px(96.0F);
  layout.cell.y =
      std::clamp(layout.cell.x * aspect * 0.75F + room_of_labels, frame.ui.px(140.0F), frame.ui.px(320.0F));
  return layout;
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
  formula_line(frame, stage);
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
  if (frame.trace) place_picker(frame);
  const std::string title = "Head " + std::to_string(frame.session.selection.head) + ", step by step";
  text_line(frame.ui,
            {{title, Font::sans_bold, text_size::title, theme.text},
             {"click a cell to see how it was computed · [ and ] change the head", Font::sans,
              text_size::small, theme.quiet}},
            16.0F);
  if (!frame.trace) return;
  const float width = ImGui::GetContentRegionAvail().x;
  const float spacing = frame.ui.px(24.0F);
  for (std::size_t at = index_of(PageSection::none) + 1; at < headings.size(); ++at) {
    const std::vector<StageKind> kinds = kinds_in(frame, static_cast<PageSection>(at));
    if (kinds.empty()) continue;
    section(frame.ui, headings.at(at));
    const GroupLayout layout = layout_of(frame, kinds, width, spacing);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (static_cast<int>(i) % layout.columns != 0) ImGui::SameLine(0.0F, spacing);
      one_stage(frame, kinds[i], layout.cell);
    }
  }
}

}  // namespace headscope
