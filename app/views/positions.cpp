#include <array>

#include "app/parts/page_part.h"
#include "app/parts/setting_groups.h"
#include "app/views/page_views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/model/trained_model.h"
#include "core/page/positions/positions_page.h"

namespace headscope {
namespace {

/// The cost of another choice for trained weights. The line is always there, so that the page does not move
/// under the mouse.
void cost_of_choice(Frame& frame) {
  const Session& session = frame.session;
  if (session.task.empty()) return;
  const bool is_trained = session.model && session.model->steps > 0;
  text(frame.ui,
       is_trained ? "With another choice, the model starts again from random weights. Undo brings these "
                    "weights back."
                  : " ",
       Font::sans, text_size::control, frame.ui.theme().quiet);
}

/// Buttons for the alternatives that encode the order of words.
void other_positions(Frame& frame) {
  struct Alternative {
    const char* label;
    Positions kind;
    const char* what;
  };
  constexpr std::array<Alternative, 3> alternatives{
      {{"Add waves", Positions::sinusoidal, "a row for each position"},
       {"Rotate pairs", Positions::rotary, "of queries and keys, by position"},
       {"Bias scores", Positions::alibi, "by the distance between two words"}}};
  for (const Alternative& alternative : alternatives) {
    const ButtonStyle style =
        alternative.kind == Positions::sinusoidal ? ButtonStyle::primary : ButtonStyle::plain;
    if (button(frame.ui, alternative.label, alternative.what, "", style, frame.ui.px(96.0F)))
      choose_positions(frame, alternative.kind);
    ImGui::SameLine(0.0F, frame.ui.px(12.0F));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + frame.ui.px(6.0F));
    text_line(frame.ui, {{alternative.what, Font::sans, text_size::control, frame.ui.theme().quiet}});
  }
}

}  // namespace

void positions_view(Frame& frame) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const Panel panel(frame.ui, "positions", room, PanelScroll::vertical);
  position_choice(frame);
  cost_of_choice(frame);
  const Positions kind = frame.trace->architecture().positions;
  kind == Positions::none ? other_positions(frame) : position_sizes(frame, kind);
  const float above = ImGui::GetCursorPosY();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, room.y - above};
  const PageMouse mouse = draw_page(frame, PageName::positions, size);
  const auto cell = mouse.table_cell();
  if (!cell) return;
  const std::string& table = mouse.on<TableCells>()->table;
  const auto position = position_cell(page_inputs(frame), frame.screen.memo, table, *cell);
  if (!position) return;
  tooltip(frame.ui, position->said);
  if (!position->in_pass) return;
  frame.screen.next_hovered = position->in_pass;
  if (mouse.clicked) frame.emit(PinCell{*position->in_pass});
}

}  // namespace headscope
