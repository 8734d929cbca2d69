#include "app/views/status_bar.h"

#include "app/parts/training_status.h"
#include "app/widgets/text.h"

namespace headscope {

void status_bar(Frame& frame, int n_threads) {
  const Theme& theme = frame.ui.theme();
  const float width = ImGui::GetContentRegionAvail().x;
  const float start = ImGui::GetCursorPosX();
  const std::string facts = "seed " + std::to_string(frame.session.architecture.seed) + " · float32 · " +
                            std::to_string(n_threads) + (n_threads == 1 ? " thread" : " threads");
  const float facts_width = frame.ui.measure()(facts, Font::sans, text_size::small).width * frame.ui.scale();
  std::string hint =
      "Rows are queries, columns are keys · hover shows · click pins · Ctrl+K finds anything · F1 keys";
  if (!frame.session.held.empty())
    hint = "A is held, your changes are B · Ctrl+9 compares · hold D for B − A · Shift+H releases A";
  const bool waits = frame.training && frame.training->state == TrainingState::waiting;
  if (waits) {
    hint =
        "These weights are untrained: press Shift+T to train (" + about(frame.training->seconds_left) + ")";
  }
  const auto fits = [&](const std::string& said) {
    return frame.ui.measure()(said, Font::sans, text_size::small).width * frame.ui.scale() + facts_width +
               frame.ui.px(24.0F) <=
           width;
  };
  const char* brief =
      frame.session.held.empty() ? "Rows are queries, columns are keys" : "A is held (Ctrl+9)";
  if (!fits(hint)) hint = waits ? "Untrained: Shift+T" : brief;
  text(frame.ui, hint, Font::sans, text_size::small, waits ? theme.warning : theme.quiet);
  if (!fits(hint)) return;
  ImGui::SameLine(start + width - facts_width);
  text(frame.ui, facts, Font::sans, text_size::small, theme.quiet);
}

}  // namespace headscope
