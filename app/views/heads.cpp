#include <algorithm>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "app/parts/frame.h"
#include "app/parts/number_editor.h"
#include "app/parts/page_part.h"
#include "app/parts/setting_control.h"
#include "app/parts/stage_picker.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/engine/opening.h"
#include "core/enum_count.h"
#include "core/measures/measure.h"
#include "core/page/heads/heads_page.h"
#include "core/session/settings.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

constexpr float control_height = 30.0F;
constexpr float min_control_width = 200.0F;

/// A drop-down list of the values of a choice, directly after its name, because the lists stand side by side.
void list_after(Frame& frame, const std::string& name, SettingKey key, std::span<const std::string> options,
                std::span<const std::string> meanings = {}) {
  const auto& choice = std::get<field::Choice>(key.record->field);
  auto selected = static_cast<int>(choice.read(frame.session));
  caption(frame.ui, {name, Font::sans, text_size::body, frame.ui.theme().text}, control_height);
  if (combo(frame.ui, ("##" + name).c_str(), options, selected, key.record->sentence, meanings))
    frame.emit(set_to(key, std::string(choice.names[static_cast<std::size_t>(selected)])));
}

/// The list of orders: "model order", and every measure with its meaning.
void order_picker(Frame& frame) {
  static const auto names = measures_after("model order", &MeasureRecord::title);
  static const auto meanings = measures_after("A row for each layer", &MeasureRecord::meaning);
  list_after(frame, "Sort by", "heads.sorted_by", names, meanings);
}

void measured_on(Frame& frame) {
  std::vector<std::string> texts{"this sentence", "random words"};
  const bool has_task = frame.session.model && parse_task_name(frame.session.model->task);
  // A chosen one stays in the list, whose last entry it is.
  if (has_task || frame.session.heads.measured_on == MeasuredOn::task) texts.emplace_back("its task");
  list_after(frame, "Measured on", "heads.measured_on", texts);
}

void filter(Frame& frame) {
  float least = frame.session.heads.min_value;
  // Centres the field vertically beside the lists.
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + frame.ui.px(6.0F));
  if (decimal_field(frame.ui, "at least", least, setting("heads.at_least").sentence))
    frame.emit(set_to("heads.at_least", static_cast<double>(std::clamp(least, 0.0F, max_measure))));
}

void common_map(Frame& frame) {
  static const auto ways =
      make_enum_table<Combine, std::string>("selected head", "mean", "largest", "rollout");
  list_after(frame, "Map of", "heads.combine", ways);
}

/// The control of a switch that takes up only a part of the line. `width` is in design units.
void switch_in_line(Frame& frame, SettingKey key, float width) {
  const InlineChild part(key.record->key.data(), {frame.ui.px(width), frame.ui.px(22.0F)});
  setting_control(frame, key);
}

/// The switches for what the scores of TransformerLens's head detector leave out, shown while heads are
/// sorted by such a score.
void detector_toggles(Frame& frame) {
  const HeadsOptions& heads = frame.session.heads;
  if (!heads.sorted_by || record_of(*heads.sorted_by).detector.empty()) return;
  switch_in_line(frame, "heads.exclude_bos", 130.0F);
  ImGui::SameLine(0.0F, frame.ui.px(24.0F));
  switch_in_line(frame, "heads.exclude_current_token", 200.0F);
}

/// The hint on how to pick heads, or the link that releases them. It always takes one line, so nothing below
/// it moves.
void picked_line(Frame& frame) {
  const std::size_t n_picked = frame.session.selection.heads.size();
  if (n_picked == 0) {
    text(frame.ui, "Click a head to open it, Ctrl+click several for one map of them all.", Font::sans,
         text_size::control, frame.ui.theme().quiet);
    constexpr const char* search = "Search sentences";
    continue_line(frame.ui.px(14.0F), link_width(frame.ui, search));
    command_link(frame, search, "Finds sentences by what the selected head attends to",
                 CommandId::search_sentences);
    return;
  }
  const std::string label =
      n_picked == 1 ? "Release the picked head" : "Release the " + std::to_string(n_picked) + " picked heads";
  if (link(frame.ui, label.c_str(), "Picked heads share a map; Ctrl+click picks and releases one"))
    frame.emit(set_selected(&Selection::heads, {}));
  if (n_picked != 2) return;
  ImGui::SameLine(0.0F, frame.ui.px(14.0F));
  if (!link(frame.ui, "Compare the two", "Their maps side by side, for the same sentence")) return;
  frame.emit(default_comparison(frame.session));
}

/// The controls for what the heads are measured on, their order and filter, and their common map. They take
/// one line, or two if there is little room.
void head_controls(Frame& frame) {
  constexpr float gap = 14.0F;
  std::vector<void (*)(Frame&)> controls{order_picker, measured_on, common_map};
  // In the model's own order there is no measure to filter by. The others must not move when it comes.
  const HeadsOptions& heads = frame.session.heads;
  const auto n = static_cast<int>(controls.size() + 1);
  if (heads.sorted_by || heads.min_value > 0.0F) controls.push_back(filter);
  const bool fit = ImGui::GetContentRegionAvail().x >=
                   static_cast<float>(n) * (frame.ui.px(min_control_width) + frame.ui.px(gap));
  controls_in_lines(frame, controls, fit ? n : 2, gap, control_height);
  detector_toggles(frame);
  picked_line(frame);
}

/// Describes the head under the mouse: what it does, and how to open it.
std::string head_tooltip(Frame& frame, const HeadIndex& place) {
  PageTools tools = page_tools(frame);
  const HeadValues values = head_values(page_inputs(frame), tools);
  std::string message =
      "Layer " + std::to_string(place.layer) + ", head " + std::to_string(place.head) + "\n";
  message += Headline{{}, head_sentences(place, values)}.answer_text();
  return message + "\nClick to open it, Ctrl+click to pick several.";
}

/// Says what a measure is. A click sorts the heads by it.
void handle_measure_mouse(Frame& frame, HeadMeasure measure, bool clicked) {
  const MeasureRecord& record = record_of(measure);
  tooltip(frame.ui, std::string(record.title) + ": " + std::string(record.meaning) +
                        "\nClick to sort the heads by it.");
  if (!clicked) return;
  frame.emit(set_to("heads.sorted_by", std::string(record.name)));
}

/// Scrolls the view down until the large map is visible.
void bring_into_view(const Frame& frame, const Page& page, ImVec2 origin) {
  for (const HitRegion& region : page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells == nullptr || cells->slot != "large") continue;
    const float bottom = origin.y + frame.ui.page_scale() * (region.box.bottom() + 24.0F);
    const float below = bottom - (ImGui::GetWindowPos().y + ImGui::GetWindowHeight());
    if (below > 0.0F) ImGui::SetScrollY(ImGui::GetScrollY() + below);
  }
}

}  // namespace

void heads_view(Frame& frame) {
  const Panel panel(frame.ui, "heads", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  stage_bar(frame);
  edit_numbers_link(frame, selected_stage(frame, frame.session.selection.stage));
  head_controls(frame);
  const PageMouse mouse = draw_page(frame, PageName::heads);
  if (const auto* measure = mouse.on<HeadMeasure>()) handle_measure_mouse(frame, *measure, mouse.clicked);
  const auto* tile = mouse.on<HeadIndex>();
  if (tile == nullptr || frame.screen.marks_cells()) return;
  tooltip(frame.ui, head_tooltip(frame, *tile));
  if (!mouse.clicked) return;
  if (ImGui::GetIO().KeyCtrl || ImGui::GetIO().KeyShift) {
    std::vector<HeadIndex> heads = frame.session.selection.heads;
    if (std::erase(heads, *tile) == 0) heads.push_back(*tile);
    frame.emit(set_selected(&Selection::heads, std::move(heads)));
  } else {
    frame.emit(open_head(*tile));
    bring_into_view(frame, *mouse.page, mouse.origin);
  }
}

}  // namespace headscope
