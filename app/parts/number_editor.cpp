#include "app/parts/number_editor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "app/parts/number_buttons.h"
#include "app/widgets/controls.h"
#include "app/widgets/number_grid_keys.h"
#include "app/widgets/paint.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "core/figure/color_scale.h"
#include "core/figure/pages.h"
#include "core/trace/given_stage.h"
#include "core/trace/stage.h"
#include "core/trace/stage_words.h"

namespace headscope {
namespace {

/// The most numbers that can be edited. Each edit copies all of them, and each step of undo keeps them.
constexpr std::int64_t most_edited = 1'000'000;

/// The stage that is computed next from a given stage. Its formula shows how the numbers are used.
std::optional<StageKind> used_in(StageKind kind) {
  using enum StageKind;
  switch (kind) {
    case w_query:
    case b_query:
      return query;
    case w_key:
    case b_key:
      return key;
    case w_value:
    case b_value:
      return value;
    case w_latent:
      return latent;
    case latent_norm_gain:
      return normed_latent;
    case w_shared_key:
      return shared_key;
    case w_output:
    case b_output:
      return projected;
    case query:
    case key:
      return raw;
    case value:
      return output;
    case raw:
      return scaled;
    case w_1:
    case b_1:
      return hidden;
    case w_up:
    case b_up:
      return up;
    case w_2:
    case b_2:
      return feed_forward_output;
    case w_logits:
    case b_logits:
      return logits;
    default:
      return std::nullopt;
  }
}

/// Says what positions do to given queries and keys before anything else is computed with them.
std::string turning_text(const Frame& frame, StageKind kind) {
  const bool is_turned = (kind == StageKind::query || kind == StageKind::key) &&
                         frame.session.architecture.positions == Positions::rotary;
  return is_turned
             ? " Positions are rotary: the numbers that you give are rotated by their token's position before scores are computed."
             : "";
}

std::string use_text(const Frame& frame, const StageId& stage) {
  const auto kind = used_in(stage.kind);
  const StageId next =
      normalized({kind.value_or(stage.kind), stage.stack, stage.layer, stage.attention, stage.head});
  if (!kind || !frame.trace->has(next)) return std::string(info(stage.kind).meaning);
  return "Used in: " + std::string(info(*kind).symbol) + " = " + formula(*frame.trace, next) + ". " +
         std::string(info(stage.kind).meaning);
}

/// The switch between queries, keys and values of a head, which are edited side by side. It stands at the
/// right end of the line that begins here, and the cursor stays in place. Returns the width left beside it.
float projections_switch(Frame& frame, const StageId& stage, NumberEditorForm& form) {
  const float room = ImGui::GetContentRegionAvail().x;
  constexpr std::array kinds{StageKind::query, StageKind::key, StageKind::value};
  const auto shown = std::ranges::find(kinds, stage.kind);
  if (shown == kinds.end()) return room;
  static const std::array<std::string, 3> names{"Q", "K", "V"};
  int selected = static_cast<int>(shown - kinds.begin());
  const ImVec2 start = ImGui::GetCursorPos();
  const float width = std::min(frame.ui.px(180.0F), 0.5F * room);
  constexpr bool padded = false;
  ImGui::SetCursorPosX(start.x + room - width);
  begin_child("projections", {width, frame.ui.px(28.0F)}, padded, ImGuiWindowFlags_NoScrollbar);
  if (segmented(frame.ui, "projection", names, selected,
                "Whose numbers are edited: queries, keys or values")) {
    form.next = StageId{kinds.at(static_cast<std::size_t>(selected)), stage.stack, stage.layer,
                        stage.attention, form.stage->head};
    form.is_done = true;
    frame.ui.wake_in(0.0);
  }
  end_child();
  ImGui::SetCursorPos(start);
  return room - width - frame.ui.px(12.0F);
}

void heading(Frame& frame, const StageId& stage, bool is_given, NumberEditorForm& form) {
  const StageInfo& about = info(stage.kind);
  const Theme& theme = frame.ui.theme();
  const std::string title = "Numbers of " + stage_words(frame.session.architecture, stage);
  std::string where = std::string(about.title) + " " + shape_text(frame.trace->extent(stage));
  if (frame.session.picture.details) where += " · " + path(stage);
  const std::string_view given = is_given ? "given" : "";
  const float room = projections_switch(frame, stage, form) - frame.ui.px(8.0F) -
                     paint::text_width(frame.ui, given, Font::sans_bold, text_size::control);
  text_line(frame.ui, {{paint::fitted(frame.ui, title, Font::sans_bold, text_size::title, room),
                        Font::sans_bold, text_size::title, theme.text},
                       {given, Font::sans_bold, text_size::control, theme.accent}});
  text_line(frame.ui, {{where, Font::sans, text_size::control, theme.quiet}});
  paragraph(frame.ui, use_text(frame, stage) + turning_text(frame, stage.kind), theme.quiet);
}

/// The numbers to show: the given ones, or else those of the pass.
std::shared_ptr<const OwnedMatrix> numbers_of(const Frame& frame, const StageId& stage,
                                              NumberEditorForm& form) {
  if (auto given = frame.session.given.at(path(stage))) return given;
  if (form.computed && form.computed_of == frame.trace) return form.computed;
  const Extent size = frame.trace->extent(stage);
  const StageNumbers numbers = frame.trace->read(stage, {0, 0, size.rows, size.cols});
  form.computed = std::make_shared<const OwnedMatrix>(copy_of(numbers.view));
  form.computed_of = frame.trace;
  return form.computed;
}

/// The change per pixel when dragging: a hundredth of the greatest number, rounded down to a power of ten.
float drag_step(double greatest) {
  if (!(greatest > 0.0)) return 0.01F;
  return static_cast<float>(std::pow(10.0, std::floor(std::log10(greatest)) - 2.0));
}

void give(Frame& frame, const StageId& stage, OwnedMatrix numbers) {
  frame.emit(SetGiven{path(stage), std::move(numbers)});
}

void answer_grid(Frame& frame, const StageId& stage, NumberGridAnswer answer) {
  if (answer.numbers) give(frame, stage, std::move(*answer.numbers));
  if (answer.undo) frame.emit(CommandId::undo);
  if (answer.redo) frame.emit(CommandId::redo);
}

/// The height that the rest of the sheet leaves for the grid.
float grid_height(const Ui& ui, int rows) {
  constexpr float rest = 330.0F;
  const float whole = ui.px(26) * static_cast<float>(rows) + ui.px(24 + 18);
  return std::clamp(whole, ui.px(120), std::max(ui.px(120), ImGui::GetIO().DisplaySize.y - ui.px(rest)));
}

NumberGridLook grid_look(const Frame& frame, const StageId& stage, const OwnedMatrix& numbers,
                         const ColorScale& scale) {
  const StageInfo& about = info(stage.kind);
  const Trace* trace = frame.trace.get();
  const auto label = [trace, stage](Axis axis, int index) {
    const bool has_token =
        !runs_over_tokens(axis) || index < static_cast<int>(trace->tokens(stage, axis).size());
    return has_token ? trace->label(stage, axis, index) : std::to_string(index);
  };
  NumberGridLook look;
  look.numbers = numbers.view();
  look.row_label = [label, axis = about.rows](int row) { return label(axis, row); };
  look.col_label = [label, axis = about.cols](int col) { return label(axis, col); };
  look.tint = [scale](float value) { return scale.color(value); };
  look.drag_step = drag_step(scale.high());
  look.size = {ImGui::GetContentRegionAvail().x, grid_height(frame.ui, numbers.rows)};
  return look;
}

void edit_numbers(Frame& frame, const StageId& stage, NumberEditorForm& form) {
  const auto numbers = numbers_of(frame, stage, form);
  PictureOptions options = frame.session.picture;
  options.range = RangeMode::map;
  const ColorScale scale(options, info(stage.kind).is_signed, numbers->view());
  const NumberGridLook look = grid_look(frame, stage, *numbers, scale);
  if (form.is_done) {
    // Takes over what was typed. If it is not a number, the sheet stays open with a complaint.
    NumberGridAnswer last;
    form.is_done = finish_typing(look, form.grid, last);
    answer_grid(frame, stage, std::move(last));
    if (form.is_done) return;
  }
  if (auto changed = number_buttons(frame, look, form.grid)) give(frame, stage, std::move(*changed));
  answer_grid(frame, stage, number_grid(frame.ui, "numbers", look, form.grid));
  const Theme& theme = frame.ui.theme();
  const bool has_complaint = !form.grid.complaint.empty();
  paragraph(
      frame.ui,
      has_complaint
          ? form.grid.complaint
          : "Type to replace · Enter down, Tab on · drag sideways to change · Shift selects a range · Ctrl+C, Ctrl+V · Ctrl+Z undoes",
      has_complaint ? theme.warning : theme.quiet);
  if (auto read = open_numbers_row(frame, look, form)) give(frame, stage, std::move(*read));
}

/// The reason why the numbers of the form's stage cannot be edited now. Empty if they can.
std::string why_not_edited(const Frame& frame, const StageId& stage) {
  // A pass from before an error has other numbers, and perhaps other sizes.
  if (!frame.trace || !frame.error.empty())
    return frame.error.empty() ? "There is no pass yet: type a sentence first." : frame.error + ".";
  if (!frame.trace->has(stage))
    return "This model has no " + stage_words(frame.session.architecture, stage) + ".";
  const Extent size = frame.trace->extent(stage);
  if (std::int64_t{size.rows} * size.cols > most_edited)
    return "This matrix has more than a million numbers, too many to edit by hand. On the command line, --set gives it from a file.";
  return {};
}

void last_row(Frame& frame, const StageId& stage, NumberEditorForm& form, bool is_given) {
  if (button(frame.ui, "Done", "Close this (Esc); the numbers stay", "", ButtonLook::primary))
    form.is_done = true;
  ImGui::SameLine();
  ImGui::BeginDisabled(!is_given);
  if (button(frame.ui, "Computed again",
             "Removes the given numbers: the matrix is again what was drawn, read or computed")) {
    frame.emit(SetGiven{path(stage), std::nullopt});
    form.grid.typed.reset();
    form.grid.complaint.clear();
    form.grid.takes_keyboard = true;
  }
  ImGui::EndDisabled();
}

}  // namespace

void number_editor(Frame& frame) {
  NumberEditorForm& form = frame.screen.number_editor;
  if (!form.stage) return;
  const StageId stage = canonical(frame.session.architecture, *form.stage);
  constexpr float width = 900.0F;
  const bool was_typing = form.grid.typed.has_value();
  bool open = true;
  const Sheet sheet(frame.ui, "number editor", open, width);
  // Escape discards the typed text before it closes the sheet. A click beside the sheet does not lose the
  // text.
  if (!open && !was_typing) form.is_done = true;
  const bool is_given = frame.session.given.at(path(stage)) != nullptr;
  const std::string problem = why_not_edited(frame, stage);
  if (!problem.empty()) {
    paragraph(frame.ui, problem, frame.ui.theme().text, text_size::body);
  } else {
    heading(frame, stage, is_given, form);
    edit_numbers(frame, stage, form);
  }
  const bool closes = form.is_done && !form.next;
  last_row(frame, stage, form, is_given);
  const std::optional<StageId> next = std::exchange(form.next, std::nullopt);
  if (next && form.is_done && problem.empty()) return open_number_editor(frame.screen, *next);
  if (closes || (form.is_done && !problem.empty())) form = {};
  if (form.is_done) frame.ui.wake_in(0.0);
}

std::optional<StageId> stage_to_edit(const Session& session) {
  const Selection& selection = session.selection;
  if (selection.pin && can_be_given(selection.pin->stage.kind)) return selection.pin->stage;
  if (can_be_given(selection.stage)) return selection.at(selection.stage);
  return std::nullopt;
}

void open_number_editor(ScreenState& screen, const StageId& stage, GridCell at) {
  screen.number_editor = {};
  screen.number_editor.stage = stage;
  screen.number_editor.grid.at = screen.number_editor.grid.anchor = at;
  screen.number_editor.grid.scrolls_to_cell = true;
}

void edit_numbers_link(Frame& frame, const StageId& stage, GridCell at) {
  if (!can_be_given(stage.kind)) return;
  if (link(frame.ui, "Edit numbers…",
           frame.with_keys("Give these numbers by hand, and see what changes", CommandId::edit_numbers)
               .c_str()))
    open_number_editor(frame.screen, stage, at);
}

}  // namespace headscope
