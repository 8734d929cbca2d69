#include "app/views/model.h"

#include <algorithm>

#include "app/parts/page_part.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/figure/diagram.h"

namespace headscope {
namespace {

/// The stage that is selected, where this pass has it.
std::optional<StageId> chosen_stage(const Frame& frame) {
  const StageId chosen = selected_stage(frame, frame.session.selection.stage);
  return frame.trace->has(chosen) ? std::optional<StageId>(chosen) : std::nullopt;
}

void go_to(Frame& frame, const DiagramArea& box) {
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

std::string told(const Frame& frame, const DiagramArea& box) {
  if (box.folds) return "A layer like the others. Click to unfold it.";
  const StageInfo& about = info(box.stage.kind);
  std::string said = path(box.stage) + "\n" + std::string(about.title) + " " +
                     full_shape_text(*frame.trace, box.stage) + ": " + formula(*frame.trace, box.stage) +
                     ".\n" + std::string(about.meaning);
  return said + "\nClick to go there.";
}

/// Scrolls to the box of a newly chosen stage, once.
void follow_choice(Frame& frame, const PageAnswer& page) {
  const auto chosen = chosen_stage(frame);
  if (!chosen) return;
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID slot = ImGui::GetID("followed stage");
  const auto now = static_cast<int>(ImGui::GetID(path(*chosen).c_str()));
  if (kept.GetInt(slot) == now) return;
  const Diagram diagram = layout_diagram(*frame.trace, frame.session.selection.layer);
  const auto place = box_of_stage(*frame.trace, diagram, *chosen);
  if (!place) return;
  const auto region = std::ranges::find_if(page.page->regions, [&](const HitRegion& part) {
    const auto* box = std::get_if<DiagramArea>(&part.means);
    return box != nullptr && box->box == *place;
  });
  if (region == page.page->regions.end()) return;
  kept.SetInt(slot, now);
  const float top = page.origin.y - ImGui::GetWindowPos().y;
  const float first = top + region->box.y * frame.ui.scale();
  const float last = top + region->box.bottom() * frame.ui.scale();
  // The heading covers what is above.
  const float covered = page.page->regions.front().box.h * frame.ui.scale();
  if (first >= covered && last <= ImGui::GetWindowHeight()) return;
  ImGui::SetScrollFromPosY(0.5F * (first + last), 0.6F);
  frame.ui.wake_in(0.0);
}

}  // namespace

void model_view(Frame& frame) {
  const Panel panel(frame.ui, "model", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  text_line(frame.ui,
            {{"Click a part to go to it, a folded layer to unfold it · Alt+← → steps through the pass",
              Font::sans, text_size::small, frame.ui.theme().quiet}});
  const PageAnswer mouse = page_part(frame, PageName::model, ImGui::GetContentRegionAvail());
  if (const auto* box = mouse.on<DiagramArea>()) {
    tooltip(frame.ui, told(frame, *box));
    if (mouse.clicked) go_to(frame, *box);
  }
  follow_choice(frame, mouse);
}

}  // namespace headscope
