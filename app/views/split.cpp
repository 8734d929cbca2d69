#include "app/views/split.h"

#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/head_rows.h"
#include "core/page/split_page.h"
#include "core/trace/explain.h"

namespace headscope {
namespace {

/// A click on a head's line selects it, one on a number of its query or key pins that.
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
  page_part(frame, "split example", split_example_page, ImGui::GetContentRegionAvail());
  divider(frame.ui);
  place_picker(frame);
  if (!frame.trace->has(selected_stage(frame, StageKind::scaled))) {
    text(frame.ui, "Computing…", Font::sans, text_size::title, frame.ui.theme().quiet);
    return;
  }
  answer(frame,
         page_part(frame, "split pair", split_pair_page, ImGui::GetContentRegionAvail(), Follows::mouse));
}

}  // namespace headscope
