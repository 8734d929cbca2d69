#include "app/parts/stage_picker.h"

#include <algorithm>
#include <array>

#include "app/widgets/controls.h"
#include "app/widgets/tabs.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

bool repeats_another(StageKind kind) {
  return kind == StageKind::layer_input || kind == StageKind::layer_output || kind == StageKind::stack_output;
}

std::string short_shape(const MatrixView& values) {
  return std::to_string(values.rows) + "×" + std::to_string(values.cols);
}

}  // namespace

std::vector<StageKind> pickable_stages(const Trace& trace, bool parameters) {
  std::vector<StageKind> kinds;
  for (const StageInfo& stage : all_stage_kinds()) {
    if (stage.is_parameter != parameters || repeats_another(stage.kind)) continue;
    if (trace.has(normalized({stage.kind, Stack::encoder, 0, AttentionKind::self, 0}))) kinds.push_back(stage.kind);
  }
  return kinds;
}

void stage_picker(Frame& frame, float width) {
  if (!frame.trace) return;
  const StageKind chosen = frame.session.selection.stage;
  const bool parameters = info(chosen).is_parameter;
  const float switch_width = frame.ui.px(150.0F);
  const float gap = frame.ui.px(8.0F);

  const std::vector<StageKind> kinds = pickable_stages(*frame.trace, parameters);
  std::vector<Tab> shown;
  int selected = 0;
  for (const StageKind kind : kinds) {
    if (kind == chosen) selected = static_cast<int>(shown.size());
    const StageInfo& about = info(kind);
    shown.push_back({std::string(about.name), short_shape(frame.trace->value(selected_stage(frame, kind))),
                     std::string(about.title) + ". " + std::string(about.meaning)});
  }
  if (tabs(frame.ui, "stage tabs", shown, selected, std::max(width - switch_width - gap, switch_width))) {
    frame.emit(SelectStage{kinds[static_cast<std::size_t>(selected)]});
  }
  ImGui::SameLine(0.0F, gap);
  static const std::array<std::string, 2> groups{"Stages", "Weights"};
  int group = parameters ? 1 : 0;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::BeginGroup();
  ImGui::PushItemWidth(switch_width);
  ImGui::SetCursorScreenPos(at);
  if (ImGui::BeginChild("stage group", {switch_width, frame.ui.px(36.0F)})) {
    if (segmented(frame.ui, "stages or weights", groups, group,
                  "Stages: what is computed from the sentence. Weights: the matrices and biases it is computed with.")) {
      frame.emit(SelectStage{group == 1 ? StageKind::w_query : StageKind::weights});
    }
  }
  ImGui::EndChild();
  ImGui::PopItemWidth();
  ImGui::EndGroup();
}

void stage_caption(Frame& frame, const StageId& stage) {
  if (!frame.trace || !frame.trace->has(stage)) return;
  const StageInfo& about = info(stage.kind);
  const Theme& theme = frame.ui.theme();
  text(frame.ui, about.title, Font::sans_bold, text_size::body, theme.text);
  ImGui::SameLine(0.0F, frame.ui.px(8.0F));
  text(frame.ui, shape_text(frame.trace->value(stage)), Font::mono, text_size::mono, theme.quiet);
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  std::string how = formula(*frame.trace, stage);
  if (!about.einsum.empty()) how += "     einsum " + std::string(about.einsum);
  text(frame.ui, how, Font::mono, text_size::mono, theme.quiet);
}

}  // namespace headscope
