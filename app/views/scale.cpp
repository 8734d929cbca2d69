#include <string>

#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/parts/setting_control.h"
#include "app/views/page_views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/scale/scale_page.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

void answer_on_scale(Frame& frame, const PageAnswer& mouse) {
  if (const auto* chip = mouse.on<LineToken>(); chip != nullptr && mouse.clicked)
    frame.emit(SelectToken{chip->token});
  if (const auto* bar = mouse.on<HeadBar>()) {
    tooltip(frame.ui, "Layer " + std::to_string(bar->head.layer) + ", head " +
                          std::to_string(bar->head.head) + "\nClick to show it above.");
    if (mouse.clicked) {
      frame.emit(SelectPlace{bar->head.stack, bar->head.layer, bar->head.attention});
      frame.emit(SelectHead{bar->head.head});
    }
  }
  if (const auto cell = mouse.table_cell()) {
    PageTools tools = page_tools(frame);
    const std::string said =
        said_of_jacobian(page_inputs(frame), tools, mouse.on<TableCells>()->table, *cell);
    if (!said.empty()) tooltip(frame.ui, said);
  }
}

}  // namespace

void scale_view(Frame& frame) {
  const Panel panel(frame.ui, "scale", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  head_picker(frame);
  answer_on_scale(frame, page_part(frame, PageName::scale, ImGui::GetContentRegionAvail()));
  const PageInputs& in = page_inputs(frame);
  if (!in.session.picture.details) {
    if (!frame.screen.presents &&
        link(frame.ui, "Show the gradient: in this row, in all heads, and in training", "Switches Details on",
             text_size::control))
      change_setting(frame, setting("picture.details"), true);
    return;
  }
  if (has_task_of_gradients(in)) return;
  if (button(frame.ui, "Open a trained model",
             frame.with_keys("The pronouns, trained", CommandId::open_pronouns).c_str()))
    frame.emit(CommandId::open_pronouns);
}

}  // namespace headscope
