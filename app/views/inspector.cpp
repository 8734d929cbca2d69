#include <algorithm>

#include "app/parts/intervention_controls.h"
#include "app/parts/number_editor.h"
#include "app/parts/page_part.h"
#include "app/parts/step_player.h"
#include "app/views/window_parts.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/pages.h"
#include "core/page/parts/covered.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

/// The link that releases the pin, at the right end of the number's line. The cursor stays where it is.
void unpin_link(Frame& frame) {
  if (!frame.session.selection.pin || frame.session.selection.pin != inspected(frame)) return;
  const ImVec2 start = ImGui::GetCursorPos();
  constexpr float width = 72.0F;
  ImGui::SetCursorPosX(start.x + ImGui::GetContentRegionAvail().x - frame.ui.px(width));
  {
    const InlineChild part("unpin", {frame.ui.px(width), frame.ui.px(24.0F)});
    if (link(frame.ui, frame.with_keys("unpin", CommandId::unpin).c_str(),
             "Let the inspector follow the mouse again"))
      frame.emit(CommandId::unpin);
  }
  ImGui::SetCursorPos(start);
}

/// The cell whose numbers were shown last.
struct ShownCell {
  std::optional<Pin> cell;
};

/// Begins the numbers of another cell at their top.
void scroll_to_new_cell(Frame& frame) {
  std::optional<Pin>& shown = frame.screen.own.of<ShownCell>().cell;
  if (shown == inspected(frame)) return;
  shown = inspected(frame);
  ImGui::SetScrollY(0.0F);
}

/// Says what a product of two parts means. A click goes to the head that wrote one of them.
void handle_pair_mouse(Frame& frame, const PageMouse& mouse) {
  const auto cell = mouse.table_cell();
  if (!cell || mouse.on<TableCells>()->table != score_pairs_slot) return;
  const std::string message = describe_pair(page_inputs(frame), frame.screen.memo, *cell);
  if (!message.empty()) tooltip(frame.ui, message);
  if (!mouse.clicked) return;
  if (const auto head = head_of_pair(frame.screen.memo, *cell)) {
    frame.emit(SelectPlace{head->stack, head->layer, head->attention});
    frame.emit(SelectHead{head->head});
  }
}

}  // namespace

/// The link that plays how the row was computed, at the foot of the inspector.
void watch_link(Frame& frame) {
  if (!frame.session.selection.token || frame.session.view == PageName::watch) return;
  if (!link(frame.ui, "Watch it",
            frame.with_keys("Plays how this row was computed, step by step", PageName::watch).c_str()))
    return;
  start_watching(frame);
}

void inspector_view(Frame& frame) {
  if (!frame.trace) return;
  scroll_to_new_cell(frame);
  unpin_link(frame);
  const PageMouse mouse =
      draw_page(frame, PageName::inspector, ImGui::GetContentRegionAvail(), PageDependency::mouse);
  if (mouse.on<AllNumbersArea>() != nullptr) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (mouse.clicked) frame.emit(set_to("picture.all_numbers", !frame.session.picture.all_numbers));
  }
  handle_pair_mouse(frame, mouse);
  watch_link(frame);
  // The slider of a weight would reveal a number that an exercise hides.
  const auto cell = inspected(frame);
  if (!cell || !is_hidden(page_inputs(frame), *cell)) cell_interventions(frame);
  if (const auto pin = inspected(frame)) edit_numbers_link(frame, pin->stage, {pin->row, pin->col});
}

}  // namespace headscope
