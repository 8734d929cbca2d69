#include "app/views/compare.h"

#include "app/parts/page_part.h"
#include "app/parts/stage_picker.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "core/engine/opening.h"

namespace headscope {
namespace {

void hold_buttons(Frame& frame) {
  const Session& session = frame.session;
  const bool is_empty = session.held.empty();
  if (button(frame.ui, "Hold this", "What you see becomes A; from then on, your changes are B (H)", "",
             is_empty ? ButtonLook::primary : ButtonLook::plain)) {
    frame.emit(CommandId::hold);
  }
  if (session.model) {
    ImGui::SameLine();
    if (button(frame.ui, "Hold it untrained", "A is the same sentence in the same model with random weights"))
      frame.emit(Hold{untrained_twin(session)});
  }
  if (!(selected_mask(session, session.attention) == MaskSpec{})) {
    ImGui::SameLine();
    if (button(frame.ui, "Hold it unmasked", "A is the same without the mask of this attention"))
      frame.emit(Hold{unmasked_twin(session)});
  }
  if (is_empty) return;
  ImGui::SameLine();
  if (button(frame.ui, "Swap", "A becomes what you edit, and B is held (X)"))
    frame.emit(CommandId::swap_held);
  ImGui::SameLine();
  if (button(frame.ui, "Release", "Nothing is held any more (Shift+H)")) frame.emit(CommandId::release);
}

}  // namespace

void compare_view(Frame& frame) {
  const Panel panel(frame.ui, "compare", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  stage_picker(frame);
  hold_buttons(frame);
  page_part(frame, PageName::compare, ImGui::GetContentRegionAvail());
}

}  // namespace headscope
