#include "app/views/model.h"

#include <algorithm>
#include <cmath>

#include "app/parts/stage_picker.h"
#include "app/ui/figure_painter.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/figure/diagram.h"
#include "core/figure/pages.h"
#include "core/trace/summary.h"
#include "core/trace/wiring.h"

namespace headscope {
namespace {

/// Rows of a stage of which a cell has changed, as a note of a box: "1 of 12 rows".
std::string change_note(const Trace& now, const Trace& before, const StageId& stage) {
  const auto changed = difference(now, before, stage);
  if (!changed) return {};
  int n_changed = 0;
  for (int r = 0; r < changed->rows; ++r) {
    const auto row = changed->view().row(r);
    // What has no counterpart (a new token's row) has changed, too.
    n_changed += std::ranges::any_of(row, [](float x) { return !(x == 0.0F); }) ? 1 : 0;
  }
  if (n_changed == 0) return "unchanged";
  return std::to_string(n_changed) + " of " + std::to_string(changed->rows) + " rows";
}

/// The dependencies of the notes of all boxes; cached, because a difference reads every number.
std::vector<std::string>& notes_of(Frame& frame, const Diagram& diagram) {
  ChangeNotes& kept = frame.screen.change_notes;
  const auto before = frame.shows_difference() ? frame.before : nullptr;
  const int layer = frame.session.selection.layer;
  if (kept.trace == frame.trace && kept.before == before && kept.layer == layer) return kept.notes;
  kept = {frame.trace, before, layer, std::vector<std::string>(diagram.boxes.size())};
  for (std::size_t i = 0; before && i < diagram.boxes.size(); ++i) {
    const DiagramBox& box = diagram.boxes[i];
    if (!box.detail.empty()) kept.notes[i] = change_note(*frame.trace, *before, box.stage);
  }
  return kept.notes;
}

/// The stage that is selected, where this pass has it.
std::optional<StageId> chosen_stage(const Frame& frame) {
  const StageId chosen = selected_stage(frame, frame.session.selection.stage);
  return frame.trace->has(chosen) ? std::optional<StageId>(chosen) : std::nullopt;
}

std::vector<DiagramMark> marks_of(Frame& frame, const Diagram& diagram,
                                  const std::optional<StageId>& chosen) {
  const std::vector<std::string>& notes = notes_of(frame, diagram);
  std::vector<DiagramMark> marks(diagram.boxes.size());
  for (std::size_t i = 0; i < diagram.boxes.size(); ++i) marks[i].note = notes[i];
  if (!chosen) return marks;
  for (const StageId& source : inputs_of(*frame.trace, *chosen)) {
    if (info(source.kind).is_parameter) continue;
    if (const auto box = box_of_stage(*frame.trace, diagram, source)) marks[*box].is_source = true;
  }
  if (const auto box = box_of_stage(*frame.trace, diagram, *chosen)) marks[*box].chosen = true;
  return marks;
}

void go_to(Frame& frame, const DiagramBox& box) {
  const Selection& selection = frame.session.selection;
  const StageScope scope = info(box.stage.kind).scope;
  frame.emit(SelectPlace{scope >= StageScope::stack ? box.stage.stack : selection.stack,
                         scope >= StageScope::layer ? box.stage.layer : selection.layer,
                         box.stage.attention});
  if (box.folds) return;
  if (scope == StageScope::head) frame.emit(SelectHead{box.stage.head});
  frame.emit(SelectStage{box.stage.kind});
  const bool is_word = box.stage.kind == StageKind::logits || box.stage.kind == StageKind::probabilities;
  frame.emit(SetView{is_word ? View::words : View::explore});
}

std::string told(const Frame& frame, const DiagramBox& box) {
  if (box.folds) return "A layer like the others. Click to unfold it.";
  const StageInfo& about = info(box.stage.kind);
  std::string said = path(box.stage) + "\n" + std::string(about.title) + " " +
                     full_shape_text(*frame.trace, box.stage) + ": " + formula(*frame.trace, box.stage) +
                     ".\n" + std::string(about.meaning);
  return said + "\nClick to go there.";
}

void heading(Frame& frame) {
  const Theme& theme = frame.ui.theme();
  text_line(frame.ui,
            {{"The model", Font::sans_bold, text_size::title, theme.text},
             {"shapes are [batch, rows, columns] · click a part to go to it · Alt+← → steps through the pass",
              Font::sans, text_size::small, theme.quiet}},
            16.0F);
}

/// Which stage it is, where, of what shape, and how it is computed.
void readout(Frame& frame, const StageId& chosen) {
  const Theme& theme = frame.ui.theme();
  const std::string shape = full_shape_text(*frame.trace, chosen);
  const std::string place = place_text(frame.trace->architecture(), chosen);
  text_line(frame.ui,
            {{info(chosen.kind).title, Font::sans_bold, text_size::body, theme.text},
             {shape, Font::mono, text_size::mono, theme.quiet},
             {place, Font::sans, text_size::small, theme.quiet}},
            12.0F);
  if (frame.shows_difference()) {
    text_line(frame.ui, {{"The boxes show how many of their rows the last change affected.", Font::sans,
                          text_size::small, theme.accent}});
  } else {
    formula_line(frame, chosen);
  }
  divider(frame.ui);
}

/// Scrolls to the box of a newly chosen stage, once. The diagram's corner is `top` from the top of what is in
/// sight.
void follow_choice(Frame& frame, const StageId& chosen, const Diagram& diagram, float top) {
  const auto place = box_of_stage(*frame.trace, diagram, chosen);
  if (!place) return;
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID slot = ImGui::GetID("followed stage");
  const auto now = static_cast<int>(ImGui::GetID(path(chosen).c_str()));
  if (kept.GetInt(slot) == now) return;
  kept.SetInt(slot, now);
  const Box box = diagram.boxes[*place].box;
  const float scale = frame.ui.scale();
  const float first = top + box.y * scale;
  const float last = top + box.bottom() * scale;
  if (first >= 0.0F && last <= ImGui::GetWindowHeight()) return;
  ImGui::SetScrollFromPosY(0.5F * (first + last), 0.5F);
  frame.ui.wake_in(0.0);
}

void point_at(Frame& frame, const Diagram& diagram, ImVec2 origin) {
  if (!ImGui::IsItemHovered()) return;
  const auto at = diagram.box_at(to_figure(ImGui::GetIO().MousePos, origin, frame.ui.scale()));
  if (!at) return;
  tooltip(frame.ui, told(frame, diagram.boxes[*at]));
  if (ImGui::IsMouseClicked(0)) go_to(frame, diagram.boxes[*at]);
}

void diagram_part(Frame& frame, const std::optional<StageId>& chosen) {
  const Diagram diagram = layout_diagram(*frame.trace, frame.session.selection.layer);
  const Figure figure = draw_diagram(diagram, marks_of(frame, diagram, chosen), frame.ui.theme(),
                                     frame.ui.measure(), DiagramUse::window);
  const float room = ImGui::GetContentRegionAvail().x;
  const float left = std::max((room - diagram.width * frame.ui.scale()) / 2.0F, 0.0F);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::floor(left));
  const ImVec2 origin = figure_item(frame.ui, figure);
  point_at(frame, diagram, origin);
  if (chosen) follow_choice(frame, *chosen, diagram, origin.y - ImGui::GetWindowPos().y);
}

}  // namespace

void model_view(Frame& frame) {
  constexpr float least_apart = 360.0F;
  // In a low window, everything above the diagram scrolls with it.
  const bool scrolls = ImGui::GetContentRegionAvail().y < frame.ui.px(least_apart);
  const Panel panel(frame.ui, "model", ImGui::GetContentRegionAvail(),
                    scrolls ? PanelScroll::vertical : PanelScroll::none);
  const std::optional<StageId> chosen = chosen_stage(frame);
  heading(frame);
  if (chosen) readout(frame, *chosen);
  if (scrolls) return diagram_part(frame, chosen);
  constexpr bool padded = false;
  begin_child("diagram", ImGui::GetContentRegionAvail(), padded, ImGuiWindowFlags_None);
  diagram_part(frame, chosen);
  ImGui::EndChild();
}

}  // namespace headscope
