#include "app/views/model.h"

#include <algorithm>
#include <cmath>

#include "app/ui/figure_painter.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/figure/diagram.h"
#include "core/trace/summary.h"
#include "core/trace/wiring.h"

namespace headscope {
namespace {

/// Rows of a stage of which a cell has changed, as a note of a box.
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
  return std::to_string(n_changed) + " of " + std::to_string(changed->rows) + " rows changed";
}

/// What the notes of all boxes depend on; kept, because a difference is a look at every number.
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

std::vector<DiagramMark> marks_of(Frame& frame, const Diagram& diagram) {
  const Selection& selection = frame.session.selection;
  const StageId chosen = selection.at(selection.stage);
  const std::vector<StageId> sources = inputs_of(*frame.trace, chosen);
  const std::vector<std::string>& notes = notes_of(frame, diagram);
  std::vector<DiagramMark> marks(diagram.boxes.size());
  for (std::size_t i = 0; i < diagram.boxes.size(); ++i) {
    const StageId& stage = diagram.boxes[i].stage;
    const bool is_head = info(stage.kind).scope == StageScope::head;
    const bool same_head = is_head && info(chosen.kind).scope == StageScope::head &&
                           stage.head == chosen.head && stage.layer == chosen.layer &&
                           stage.stack == chosen.stack && stage.attention == chosen.attention;
    marks[i].chosen = !diagram.boxes[i].folds && (stage == chosen || same_head);
    marks[i].is_source = std::ranges::find(sources, stage) != sources.end();
    marks[i].note = notes[i];
  }
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
  if (box.folds) return "A layer like the others. A click unfolds it.";
  const StageInfo& about = info(box.stage.kind);
  std::string said = path(box.stage) + "\n" + std::string(about.title) + " " +
                     full_shape_text(*frame.trace, box.stage) + ": " + formula(*frame.trace, box.stage) +
                     ".\n" + std::string(about.meaning);
  return said + "\nA click goes there.";
}

}  // namespace

void model_view(Frame& frame) {
  const Panel panel(frame.ui, "model", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const Theme& theme = frame.ui.theme();
  text_line(frame.ui,
            {{"The model", Font::sans_bold, text_size::title, theme.text},
             {"shapes are [batch, rows, columns] · a click goes to a part · Alt+← → steps through the pass",
              Font::sans, text_size::small, theme.quiet}},
            16.0F);
  const Diagram diagram = layout_diagram(*frame.trace, frame.session.selection.layer);
  const Figure figure = draw_diagram(diagram, marks_of(frame, diagram), theme, frame.ui.measure());
  const float scale = frame.ui.scale();
  const float left = std::max((ImGui::GetContentRegionAvail().x - diagram.width * scale) / 2.0F, 0.0F);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::floor(left));
  const ImVec2 origin = figure_item(frame.ui, figure);
  if (!ImGui::IsItemHovered()) return;
  const auto at = diagram.box_at(to_figure(ImGui::GetIO().MousePos, origin, scale));
  if (!at) return;
  tooltip(frame.ui, told(frame, diagram.boxes[*at]));
  if (ImGui::IsMouseClicked(0)) go_to(frame, diagram.boxes[*at]);
}

}  // namespace headscope
