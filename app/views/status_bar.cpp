#include <cmath>

#include "app/parts/messages.h"
#include "app/parts/training_status.h"
#include "app/views/window_parts.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "core/page/page_record.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"

namespace headscope {

namespace {

/// The link that switches details on or off, at the right end of the line.
void details_link(Frame& frame, const char* label) {
  if (link(frame.ui, label, "Ids, shapes, symbolic sums, tensor paths and all digits, in all views",
           text_size::small))
    frame.emit(set_to("picture.details", !frame.session.picture.details));
}

/// How to read the maps of stages, on the pages that have them.
std::string map_reading_hint(const Frame& frame) {
  const bool shows_one_map = frame.session.view == PageName::explore || frame.session.view == PageName::heads;
  return shows_one_map && is_map(frame.session.selection.stage) ? "Rows are queries, columns are keys · "
                                                                : "";
}

std::string hint_of(const Frame& frame) {
  if (const Mode* mode = mode_of(frame.session, frame.screen)) return mode->hint(frame);
  if (!page_record(frame.session.view).shows_session_pass)
    return std::string(frame.keys_of(CommandId::help)) + " all keys";
  return map_reading_hint(frame) + "hover shows, click keeps · " + frame.keys_of(CommandId::previous_head) +
         " or " + frame.keys_of(CommandId::next_head) + " another head · " + frame.keys_of(CommandId::help) +
         " all keys";
}

std::string brief_hint(const Frame& frame) {
  const Mode* mode = mode_of(frame.session, frame.screen);
  return mode == nullptr ? map_reading_hint(frame) + frame.keys_of(CommandId::help) + " all keys"
                         : mode->brief;
}

}  // namespace

void status_bar(Frame& frame, int n_threads) {
  const Theme& theme = frame.ui.theme();
  const bool details = frame.session.picture.details;
  const float width = ImGui::GetContentRegionAvail().x;
  const float start = ImGui::GetCursorPosX();
  const auto width_of = [&](const std::string& message) {
    return frame.ui.measure()(message, Font::sans, text_size::small).width * frame.ui.scale();
  };
  const char* label = details ? "Details: on###details" : "Details: off###details";
  const float label_width = std::ceil(width_of(std::string(paint::visible(label))));
  const std::string facts = details ? "seed " + std::to_string(frame.session.architecture.seed) +
                                          " · float32 · " + count_text(n_threads, "thread")
                                    : "";
  Toasts& toasts = frame.screen.toasts;
  if (!toasts.empty() && !toasts.is_over_sheet && !frame.ui.hides_transients()) {
    toasts.draw_line(frame.ui, width - label_width - frame.ui.px(16.0F));
    ImGui::SameLine(start + width - label_width);
    return details_link(frame, label);
  }
  std::string hint = hint_of(frame);
  // The panel of settings already says so if it is open.
  const bool waits = frame.training && frame.training->state == TrainingState::waiting &&
                     !frame.screen.has_controls(frame.lesson != nullptr) &&
                     frame.session.view != PageName::train;
  if (waits) {
    hint = "These weights are untrained: press " + frame.keys_of(CommandId::train) + " to train (" +
           about(frame.training->seconds_left) + ")";
  }
  const float apart = frame.ui.px(16.0F);
  const auto fits = [&](const std::string& message) {
    return width_of(message) + apart + width_of(facts) + apart + label_width <= width;
  };
  const bool has_facts = fits(hint);
  if (!fits(hint)) hint = waits ? "Untrained: " + frame.keys_of(CommandId::train) : brief_hint(frame);
  text(frame.ui, hint, Font::sans, text_size::small, waits ? theme.warning : theme.quiet);
  if (has_facts && !facts.empty()) {
    ImGui::SameLine(start + width - label_width - apart - width_of(facts));
    text(frame.ui, facts, Font::sans, text_size::small, theme.quiet);
  }
  if (width_of(hint) + apart + label_width > width) return;
  ImGui::SameLine(start + width - label_width);
  details_link(frame, label);
}

}  // namespace headscope
