#include "app/shell/notices.h"

#include <string>

#include "app/parts/number_editor.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/trace/intervention_text.h"

namespace headscope {

void problem_notice(Frame& frame) {
  if (frame.error.empty()) return;
  const std::string what =
      frame.trace ? frame.error + ". Showing the last pass that could be computed." : frame.error + ".";
  notice(frame.ui, what, NoticeKind::warning);
}

void interventions_notice(Frame& frame) {
  const bool page_says_it = frame.session.view == View::effects;
  const std::string changed = frame.trace && !page_says_it ? changes_sentences(*frame.trace) : "";
  if (!changed.empty()) notice(frame.ui, changed, NoticeKind::information);
  given_links(frame);
}

void leftover_notice(Frame& frame) {
  if (!frame.screen.has_leftover) return;
  notice(frame.ui, "Last time, Headscope ended unexpectedly. What you were doing was kept.",
         NoticeKind::information);
  if (button(frame.ui, "Open that session", "Continue where it ended; Undo returns to this session", "",
             ButtonLook::primary)) {
    frame.screen.leftover_answer = LeftoverAnswer::open;
  }
  ImGui::SameLine();
  if (button(frame.ui, "Discard it", "Remove what was kept of it")) {
    frame.screen.leftover_answer = LeftoverAnswer::discard;
  }
}

}  // namespace headscope
