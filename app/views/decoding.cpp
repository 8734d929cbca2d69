#include "app/views/decoding.h"

#include "app/parts/decoding_controls.h"
#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "core/page/decoding/decoding_page.h"

namespace headscope {

void decoding_view(Frame& frame) {
  const Panel panel(frame.ui, "decoding", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  if (n_decodable(page_inputs(frame), frame.screen.memo) > 0) {
    constexpr float for_writing = 320.0F;
    if (head_picker(frame)) continue_line(frame.ui.px(24.0F), frame.ui.px(for_writing));
  }
  decoding_controls(frame);
  page_part(frame, PageName::decoding, ImGui::GetContentRegionAvail());
}

}  // namespace headscope
