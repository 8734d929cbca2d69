#include "app/parts/intervention_controls.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/model/interventions.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

HeadId selected_head(const Frame& frame) {
  return head_of(frame.session.selection.at(StageKind::weights));
}

void change_head(Frame& frame, const HeadChange& change) {
  frame.emit(SetInterventions{with_change(frame.session.interventions, change)});
}

/// Interventions that switch off all other heads of the same attention and switch this one on.
Interventions only(const Session& session, const HeadId& head) {
  Interventions all = session.interventions;
  HeadId each = head;
  for (each.head = 0; each.head < session.architecture.n_heads; ++each.head) {
    HeadChange change = change_of(all, each);
    change.scale = each == head ? 1.0F : 0.0F;
    all = with_change(std::move(all), change);
  }
  return all;
}

void off_button(Frame& frame, const HeadChange& change) {
  const bool is_off = change.scale == 0.0F;
  const char* meaning =
      is_off ? "Pass the selected head's output on unchanged"
             : "Pass on nothing of the selected head's output, and see what becomes of the prediction";
  if (button(frame.ui, is_off ? "Switch on" : "Switch off",
             frame.with_keys(meaning, CommandId::toggle_head_off).c_str())) {
    frame.emit(CommandId::toggle_head_off);
  }
}

void only_button(Frame& frame, const HeadId& head) {
  if (frame.session.architecture.n_heads < 2) return;
  ImGui::SameLine();
  if (button(frame.ui, "Only this head", "Switch off all other heads of its layer"))
    frame.emit(SetInterventions{only(frame.session, head)});
}

void undo_button(Frame& frame) {
  const Interventions& all = frame.session.interventions;
  if (all.empty()) return;
  const std::size_t n = all.heads.size() + all.weights.size() + all.patches.size();
  const std::string label =
      n == 1 ? "Remove the intervention" : "Remove all " + std::to_string(n) + " interventions";
  if (button(frame.ui, label.c_str(), "Compute the pass without interventions"))
    frame.emit(SetInterventions{});
}

void pattern_choice(Frame& frame, HeadChange change) {
  const bool is_linear = frame.session.architecture.linear_attention;
  const std::array<std::string, 3> names{is_linear ? "computed" : "softmax", "uniform", "as in A"};
  const bool can_freeze = !frame.session.held.empty() || change.pattern == Pattern::held;
  int pattern = static_cast<int>(change.pattern);
  const std::span<const std::string> offered(names.data(), can_freeze ? 3 : 2);
  if (!segmented(
          frame.ui, "pattern", offered, pattern,
          "Where its weights come from: its own scores; an equal share for every key that it sees; or, if a subject A is held, the same head in A"))
    return;
  change.pattern = static_cast<Pattern>(pattern);
  change_head(frame, change);
}

void give_weight(Frame& frame, const Pin& pin) {
  const HeadId head = head_of(pin.stage);
  const Cell cell{pin.row, pin.col};
  const Interventions& all = frame.session.interventions;
  const auto given = std::ranges::find_if(
      all.weights, [&](const GivenWeight& each) { return each.place == head && each.cell == cell; });
  const bool is_given = given != all.weights.end();
  const bool is_hidden = !frame.trace->mask(pin.stage).is_visible(head.head, pin.row, pin.col);
  if (is_hidden && !is_given) return;
  section(frame.ui, "Intervene");
  if (is_hidden) {
    paragraph(frame.ui,
              "The mask hides this cell: the weight " + number_text(static_cast<double>(given->weight)) +
                  " that is given here is not used.",
              frame.ui.theme().quiet);
  } else {
    float weight = is_given ? given->weight : frame.trace->number(pin.stage, pin.row, pin.col);
    if (slider_float(frame.ui, "give this weight", weight, {0.0F, 1.0F, 2, false},
                     setting("interventions.weights").sentence))
      frame.emit(SetInterventions{with_weight(all, {head, cell, weight})});
  }
  if (is_given && link(frame.ui, "let the scores decide", "Remove this intervention"))
    frame.emit(SetInterventions{with_weight(all, {head, cell, -1.0F})});
}

void replace_row(Frame& frame, const Patch& zero) {
  static const std::array<std::string, 3> names{"computed", "0", "as in A"};
  Patch held = zero;
  held.source = PatchSource::held;
  Interventions all = frame.session.interventions;
  const auto has = [&](const Patch& patch) {
    return std::ranges::find(all.patches, patch) != all.patches.end();
  };
  int source = has(zero) ? 1 : has(held) ? 2 : 0;
  const bool can_take = !frame.session.held.empty() || source == 2;
  section(frame.ui, "Intervene");
  paragraph(frame.ui, "The row of this token in this stage:", frame.ui.theme().quiet);
  const std::span<const std::string> offered(names.data(), can_take ? 3 : 2);
  if (!segmented(
          frame.ui, "row", offered, source,
          "As it was computed, replaced by 0, or replaced by the same token's row in the held subject A before anything is computed from it (activation patching)"))
    return;
  std::erase(all.patches, zero);
  std::erase(all.patches, held);
  if (source > 0) all.patches.push_back(source == 1 ? zero : held);
  frame.emit(SetInterventions{in_order(std::move(all))});
}

}  // namespace

std::string intervention_words(const Session& session) {
  const Interventions& all = session.interventions;
  const std::size_t n = all.heads.size() + all.weights.size() + all.patches.size();
  return n == 0 ? "none" : std::to_string(n);
}

void intervention_controls(Frame& frame) {
  const HeadId head = selected_head(frame);
  HeadChange change = change_of(frame.session.interventions, head);
  const std::string name = "in " + head_text(frame.session.architecture, head);
  text(frame.ui, name, Font::sans, text_size::body, frame.ui.theme().text);
  if (slider_float(frame.ui, "output ×", change.scale, {0.0F, max_head_scale, 2, false},
                   setting("interventions.scale").sentence))
    change_head(frame, change);
  pattern_choice(frame, change_of(frame.session.interventions, head));
  undo_button(frame);
}

void intervention_bar(Frame& frame) {
  const HeadId head = selected_head(frame);
  const std::string name = place_text(frame.session.architecture, stage_in(head, StageKind::weights));
  constexpr float beside_button = 7.0F;
  const float top = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(top + frame.ui.px(beside_button));
  text(frame.ui, name, Font::sans_bold, text_size::body, frame.ui.theme().text);
  ImGui::SameLine();
  ImGui::SetCursorPosY(top);
  off_button(frame, change_of(frame.session.interventions, head));
  only_button(frame, head);
  if (frame.session.interventions.empty()) return;
  ImGui::SameLine();
  undo_button(frame);
}

void cell_interventions(Frame& frame) {
  const std::optional<Pin>& pin = frame.session.selection.pin;
  // While the session's pass is being computed, an older pass with fewer tokens may be shown.
  if (!pin || !frame.trace || inspected(frame) != pin) return;
  if (frame.session.architecture.reads_weights()) return;
  if (pin->stage.kind == StageKind::weights) return give_weight(frame, *pin);
  if (can_be_patched(pin->stage.kind)) replace_row(frame, {pin->stage, pin->row, PatchSource::zero});
}

}  // namespace headscope
