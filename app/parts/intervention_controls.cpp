#include "app/parts/intervention_controls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
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
  frame.emit(set_interventions(with_change(frame.session.interventions, change)));
}

/// Isolates a head: switches it on, and all other heads of the same attention off.
Interventions isolate_head(const Session& session, const HeadId& head) {
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
  const char* meaning = is_off ? "Pass the selected head's output on unchanged"
                               : "Drop the selected head's output, and see how the prediction changes";
  command_button(frame, is_off ? "Switch on" : "Switch off", meaning, CommandId::toggle_head_off);
}

void isolate_button(Frame& frame, const HeadId& head) {
  if (frame.session.architecture.n_heads < 2) return;
  ImGui::SameLine();
  if (button(frame.ui, "Only this head", "Switch off all other heads of its layer"))
    frame.emit(set_interventions(isolate_head(frame.session, head)));
}

void undo_button(Frame& frame) {
  const Interventions& all = frame.session.interventions;
  if (all.empty()) return;
  const std::size_t n = all.heads.size() + all.weights.size() + all.patches.size();
  const std::string label =
      n == 1 ? "Remove the intervention" : "Remove all " + std::to_string(n) + " interventions";
  if (button(frame.ui, label.c_str(), "Compute the pass without interventions"))
    frame.emit(set_interventions({}));
}

void pattern_choice(Frame& frame, HeadChange change) {
  const bool is_linear = frame.session.architecture.linear_attention;
  const std::array<std::string, 3> names{is_linear ? "computed" : "softmax", "uniform", "as in A"};
  const bool can_freeze = !frame.session.compared.empty() || change.pattern == Pattern::compared;
  int pattern = static_cast<int>(change.pattern);
  const std::span<const std::string> offered(names.data(), can_freeze ? 3 : 2);
  if (!segmented(
          frame.ui, "pattern", offered, pattern,
          "Where its weights come from: its own scores; an equal share for every key that it sees; or, if a subject A is held, the same head in A"))
    return;
  change.pattern = static_cast<Pattern>(pattern);
  change_head(frame, change);
}

void weight_slider(Frame& frame, const Pin& pin) {
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
    paragraph(frame.ui, "The mask hides this cell: the weight " +
                            number_text(static_cast<double>(given->weight)) +
                            " that is given here is not used.");
  } else {
    float weight = is_given ? given->weight : frame.trace->number(pin.stage, pin.row, pin.col);
    if (slider_float(frame.ui, "give this weight", weight, {0.0F, 1.0F, 2, false},
                     setting("interventions.weights").sentence))
      frame.emit(set_interventions(with_weight(all, {head, cell, weight})));
  }
  if (is_given && link(frame.ui, "let the scores decide", "Remove this intervention"))
    frame.emit(set_interventions(with_weight(all, {head, cell, -1.0F})));
}

/// Over which texts means are taken if none are given.
const char* default_texts(const Session& session) {
  return session.model && !session.model->task.empty() ? "held-out sentences of the model's task"
                                                       : "random texts";
}

/// The texts of means, one on each line.
void mean_texts(Frame& frame) {
  Interventions all = frame.session.interventions;
  const bool can_have_texts = !frame.session.architecture.has_cross() || !all.mean_over.empty();
  if (!all.uses_means() || !can_have_texts) return;
  paragraph(frame.ui, all.mean_over.empty()
                          ? "The mean is taken over " + std::string(default_texts(frame.session)) +
                                ", or over your own texts, one on each line:"
                          : "The mean is taken over these texts, one on each line:");
  constexpr float height = 72.0F;
  constexpr std::size_t max_bytes = std::size_t{1} << 20U;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (text_input(frame.ui, "texts of means", all.mean_over,
                 {.height = frame.ui.px(height), .max_bytes = max_bytes}))
    frame.emit(set_interventions(std::move(all)));
}

/// The patch of a row, which may be that of every row. Empty if the row is as it was computed.
std::optional<Patch> patch_of(const Interventions& all, const StageId& stage, int row) {
  std::optional<Patch> found;
  for (const Patch& patch : all.patches) {
    if (patch.stage == stage && (patch.row == row || (patch.row == every_row && !found))) found = patch;
  }
  return found;
}

/// Replaces or scales the row of a token in a stage, or every row.
void replace_row(Frame& frame, const StageId& pinned, int row) {
  const StageId stage = canonical(frame.session.architecture, pinned);
  const std::optional<Patch> before = patch_of(frame.session.interventions, stage, row);
  Patch patch = before.value_or(Patch{stage, row, PatchSource::scaled});
  section(frame.ui, "Intervene");
  bool is_changed = false;
  bool is_computed = !before;
  const bool can_take = !frame.session.compared.empty() || patch.source == PatchSource::compared;
  std::vector<std::string> names{"computed", "0"};
  std::vector<PatchSource> sources{PatchSource::scaled, PatchSource::zero};
  if (const ModelRef& model = frame.session.model; !model || !model->is_capture()) {
    names.emplace_back("mean");
    sources.push_back(PatchSource::mean);
  }
  if (can_take) {
    names.emplace_back("as in A");
    sources.push_back(PatchSource::compared);
  }
  const PatchSource shown = is_mean(patch.source) ? PatchSource::mean : patch.source;
  int chosen = static_cast<int>(std::ranges::find(sources, shown) - sources.begin());
  if (segmented(
          frame.ui, "row", names, chosen,
          "As it was computed, or replaced before anything is computed from it: by 0, by its mean over the tokens of other texts (mean ablation), or by the same token's row in the held subject A (activation patching)")) {
    patch.source = sources[static_cast<std::size_t>(chosen)];
    patch.factor = 1.0F;
    is_computed = patch.source == PatchSource::scaled;
    is_changed = true;
  }
  bool is_every = patch.row == every_row;
  if (!is_computed && toggle(frame.ui, "every token", is_every,
                             "Whether the row of every token is replaced, or only this one"))
    is_changed = true;
  bool is_at_position = patch.source == PatchSource::position_mean;
  if (is_mean(patch.source) &&
      toggle(frame.ui, "at its position", is_at_position,
             "Whether the mean is taken over the tokens at the same position, or over all tokens")) {
    patch.source = is_at_position ? PatchSource::position_mean : PatchSource::mean;
    is_changed = true;
  }
  const float most = std::max(2.0F, std::fabs(patch.factor));
  if (patch.source == PatchSource::scaled &&
      slider_float(frame.ui, "row ×", patch.factor, {-most, most, 2, false}, "The factor of the row")) {
    is_computed = false;
    is_changed = true;
  }
  mean_texts(frame);
  if (!is_changed) return;
  Interventions all = frame.session.interventions;
  if (before) std::erase(all.patches, *before);
  patch.row = is_every ? every_row : row;
  if (!is_computed) all.patches.push_back(patch);
  frame.emit(set_interventions(in_order(std::move(all))));
}

}  // namespace

std::string intervention_summary(const Session& session) {
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
  isolate_button(frame, head);
  if (frame.session.interventions.empty()) return;
  ImGui::SameLine();
  undo_button(frame);
}

void cell_interventions(Frame& frame) {
  const std::optional<Pin>& pin = frame.session.selection.pin;
  // While the session's pass is being computed, an older pass with fewer tokens may be shown.
  if (!pin || !frame.trace || inspected(frame) != pin) return;
  if (frame.session.architecture.has_captured_weights()) return;
  if (pin->stage.kind == StageKind::weights) return weight_slider(frame, *pin);
  if (can_be_patched(pin->stage.kind)) replace_row(frame, pin->stage, pin->row);
}

}  // namespace headscope
