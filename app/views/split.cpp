#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/views/page_views.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/split/split_page.h"
#include "core/trace/explain.h"

namespace headscope {
namespace {

/// A click on a head's line selects the head. A click on a number of its query or key pins that cell.
void answer(Frame& frame, const PageAnswer& mouse) {
  if (const auto* area = mouse.on<HeadArea>(); area != nullptr && mouse.clicked) {
    frame.emit(SelectHead{area->head});
  }
  const auto cell = mouse.table_cell();
  if (!cell) return;
  const auto pin = cell_of_head_rows(page_inputs(frame), mouse.on<TableCells>()->table, *cell);
  if (!pin) return;
  tooltip(frame.ui, "Head " + std::to_string(pin->stage.head) + ": " +
                        sentence_for(*frame.trace, pin->stage, pin->row, pin->col));
  frame.screen.next_hovered = pin;
  if (!mouse.clicked) return;
  frame.emit(SelectHead{pin->stage.head});
  frame.emit(PinCell{*pin});
}

}  // namespace

void split_view(Frame& frame) {
  const Panel panel(frame.ui, "split", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  place_picker(frame);
  answer(frame, page_part(frame, PageName::split, ImGui::GetContentRegionAvail(), Follows::mouse));
}

}  // namespace headscope
