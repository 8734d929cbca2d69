#include "app/parts/number_editor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "app/parts/frame.h"
#include "app/widgets/controls.h"
#include "app/widgets/number_grid.h"
#include "app/widgets/paint.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/figure/color_scale.h"
#include "core/io/npy.h"
#include "core/model/stage.h"
#include "core/system/read_file.h"
#include "core/trace/given_stage.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

OwnedMatrix identity(const MatrixView& like) {
  OwnedMatrix matrix(like.rows, like.cols);
  for (int i = 0; i < std::min(like.rows, like.cols); ++i) matrix.at(i, i) = 1.0F;
  return matrix;
}

OwnedMatrix one_hot(const MatrixView& numbers) {
  OwnedMatrix matrix(numbers.rows, numbers.cols);
  for (int row = 0; row < numbers.rows; ++row) {
    const auto values = numbers.row(row);
    matrix.at(row, static_cast<int>(std::ranges::max_element(values) - values.begin())) = 1.0F;
  }
  return matrix;
}

OwnedMatrix rounded_to(const MatrixView& numbers, int digits) {
  OwnedMatrix matrix(numbers);
  const double unit = std::pow(10.0, digits);
  for (float& value : matrix.values) {
    const double rounded = std::round(static_cast<double>(value) * unit) / unit;
    value = static_cast<float>(rounded == 0.0 ? 0.0 : rounded);
  }
  return matrix;
}

/// The matrix with its selected cells, or all cells, set to the number in the cell that keys act on.
OwnedMatrix filled(const NumberGridSpec& spec, const NumberGridState& state, bool all) {
  OwnedMatrix matrix(spec.numbers);
  const float value = spec.numbers(state.at.row, state.at.col);
  const GridRange selected = selection_of(state);
  for (int row = 0; row < matrix.rows; ++row) {
    for (int col = 0; col < matrix.cols; ++col) {
      if (all || selected.contains(row, col)) matrix.at(row, col) = value;
    }
  }
  return matrix;
}

std::optional<OwnedMatrix> fill_menu(Frame& frame, const NumberGridSpec& spec, const NumberGridState& state) {
  static const std::array<std::string, 2> fills{"Every cell with the selected cell's number",
                                                "The selected range with its last number"};
  const auto chosen = menu(frame.ui, "Fill…", fills, "The same number in many cells");
  if (!chosen) return std::nullopt;
  return filled(spec, state, *chosen == 0);
}

std::optional<OwnedMatrix> round_menu(Frame& frame, const NumberGridSpec& spec) {
  static const std::array<std::string, 5> digits{"To whole numbers", "To 1 decimal", "To 2 decimals",
                                                 "To 3 decimals", "To 4 decimals"};
  const auto chosen = menu(frame.ui, "Round…", digits, "Numbers that are easy to follow");
  return chosen ? std::optional(rounded_to(spec.numbers, *chosen)) : std::nullopt;
}

void copy_menu(Frame& frame, const NumberGridSpec& spec) {
  static const std::array<std::string, 6> names{"Spreadsheet", "CSV", "NumPy", "Python", "LaTeX", "MATLAB"};
  constexpr std::array forms{MatrixFormat::spreadsheet, MatrixFormat::csv,   MatrixFormat::numpy,
                             MatrixFormat::python,      MatrixFormat::latex, MatrixFormat::matlab};
  const auto chosen = menu(frame.ui, "Copy as…", names, "Copies the whole matrix");
  if (!chosen) return;
  const MatrixFormat form = forms.at(static_cast<std::size_t>(*chosen));
  frame.ui.set_clipboard_text(matrix_text(spec.numbers, form));
}

bool plain_button(Frame& frame, const char* label, const char* tooltip) {
  const bool clicked = button(frame.ui, label, tooltip);
  ImGui::SameLine();
  return clicked;
}

/// Reads a .npy file, which is recognised by its beginning, or otherwise text.
Result<OwnedMatrix> read_numbers(const std::string& file, const MatrixTextRules& rules) {
  constexpr std::size_t max_bytes = std::size_t{64} << 20U;
  const auto bytes = read_file(file, max_bytes);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!bytes->starts_with("\x93NUMPY")) return parse_matrix(*bytes, rules);
  const auto array = parse_npy(*bytes, file);
  if (!array) return tl::unexpected(array.error());
  OwnedMatrix matrix;
  const bool is_row = array->shape.size() == 1;
  if (!is_row && array->shape.size() != 2)
    return failure("the array has " + std::to_string(array->shape.size()) + " dimensions; give it two");
  matrix.rows = is_row ? 1 : array->shape[0];
  matrix.cols = array->shape.back();
  matrix.values = array->values;
  if (!std::ranges::all_of(matrix.values, [](float value) { return std::isfinite(value); }))
    return failure("the array has NaN or infinite numbers; give finite ones");
  return matrix;
}

/// A row of buttons with the commands on a whole matrix. Returns the new matrix if one was chosen. Copying
/// changes nothing.
std::optional<OwnedMatrix> number_buttons(Frame& frame, const NumberGridSpec& spec, NumberGridState& state) {
  const MatrixView& numbers = spec.numbers;
  std::optional<OwnedMatrix> changed;
  if (plain_button(frame, "Zero", "0 in every cell")) changed = OwnedMatrix(numbers.rows, numbers.cols);
  if (plain_button(frame, "Identity", "1 on the diagonal, 0 elsewhere")) changed = identity(numbers);
  if (plain_button(frame, "One-hot", "In each row 1 at its largest number, 0 elsewhere"))
    changed = one_hot(numbers);
  if (plain_button(
          frame, "Paste",
          "From a spreadsheet, CSV, NumPy, Python, MATLAB or LaTeX: all numbers where the shape fits, else from the selected cell on (Ctrl+V)")) {
    if (auto pasted = pasted_numbers(spec, state, frame.ui.clipboard_text())) changed = std::move(pasted);
  }
  if (auto filled_in = fill_menu(frame, spec, state)) changed = std::move(filled_in);
  ImGui::SameLine();
  if (auto rounded = round_menu(frame, spec)) changed = std::move(rounded);
  ImGui::SameLine();
  copy_menu(frame, spec);
  if (changed) {
    state.takes_focus = true;
    state.typed.reset();
    state.complaint.clear();
  }
  return changed;
}

struct NumberFileQuestion {
  std::string file;
  decltype(NumberGridSpec::rules) rules;
  bool operator==(const NumberFileQuestion&) const = default;

  using Answer = OwnedMatrix;
  static constexpr Lifetime life = Lifetime::session;
  Result<OwnedMatrix> answer() const { return read_numbers(file, rules); }
};

/// A row that opens a file of numbers, in NumPy's format or as text. Returns the matrix once the file of the
/// path that was entered has been read; its shape must match.
std::optional<OwnedMatrix> open_numbers_row(Frame& frame, const NumberGridSpec& spec,
                                            NumberEditorForm& form) {
  const bool entered = text_field(frame.ui, "file", form.file, "a .npy or .csv file to open, and Enter",
                                  "Replaces all numbers by those of a file of the same shape");
  ResultCache& results = frame.screen.memo.results;
  if (entered && !form.file.empty()) {
    form.loading_file = form.file;
    results.drop(NumberFileQuestion{});  // The file may have changed.
  }
  if (!form.loading_file) return std::nullopt;
  const NumberFileQuestion question{*form.loading_file, spec.rules};
  const auto* found = results.get(question, frame.execute);
  if (found == nullptr) return std::nullopt;
  Result<OwnedMatrix> read = *found;
  results.drop(question);
  form.loading_file.reset();
  if (read && (read->rows != spec.numbers.rows || read->cols != spec.numbers.cols)) {
    form.grid.complaint = "The file has " + std::to_string(read->rows) + " × " + std::to_string(read->cols) +
                          " numbers, but this matrix is " + std::to_string(spec.numbers.rows) + " × " +
                          std::to_string(spec.numbers.cols) + "; give a file of that shape.";
    return std::nullopt;
  }
  if (!read) {
    form.grid.complaint = "The file was not read: " + read.error().message + ".";
    return std::nullopt;
  }
  form.grid.takes_focus = true;
  form.grid.complaint.clear();
  form.grid.typed.reset();
  return *std::move(read);
}

/// The maximum that can be edited: every edit copies all numbers, and every undo step keeps them.
constexpr std::int64_t max_edited = 1'000'000;

/// The next stage computed from a given one, on the way to the output. Its formula shows how the numbers are
/// used.
std::optional<StageId> next_stage_using(const Trace& trace, const StageId& stage) {
  const std::vector<StageId> users = trace.graph().users(stage);
  const auto leads_on = [&](const StageId& user) { return !trace.graph().users(user).empty(); };
  const auto found = std::ranges::find_if(users, leads_on);
  if (found != users.end()) return *found;
  return users.empty() ? std::nullopt : std::optional(users.front());
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
  const std::string meaning(info(stage.kind).meaning);
  const auto next = frame.trace->has(stage) ? next_stage_using(*frame.trace, stage) : std::nullopt;
  if (!next) return meaning;
  return "Used in: " + std::string(info(next->kind).symbol) + " = " + formula(*frame.trace, *next) + ". " +
         meaning;
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
  ImGui::SetCursorPosX(start.x + room - width);
  begin_child("projections", {width, frame.ui.px(28.0F)}, ImGuiWindowFlags_NoScrollbar);
  if (segmented(frame.ui, "projection", names, selected,
                "Whose numbers are edited: queries, keys or values")) {
    form.next = StageId{kinds.at(static_cast<std::size_t>(selected)), stage.stack, stage.layer,
                        stage.attention, form.stage->head};
    form.closes_when_valid = true;
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
  form.computed = std::make_shared<const OwnedMatrix>(numbers.view);
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

void apply_grid_result(Frame& frame, const StageId& stage, NumberGridResult answer) {
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

NumberGridSpec grid_spec(const Frame& frame, const StageId& stage, const OwnedMatrix& numbers,
                         const ColorScale& scale) {
  const StageInfo& about = info(stage.kind);
  const Trace* trace = frame.trace.get();
  const auto label = [trace, stage](Axis axis, int index) {
    const bool has_token =
        !is_token_axis(axis) || index < static_cast<int>(trace->tokens(stage, axis).size());
    return has_token ? trace->label(stage, axis, index) : std::to_string(index);
  };
  NumberGridSpec spec;
  spec.numbers = numbers.view();
  spec.row_label = [label, axis = about.rows](int row) { return label(axis, row); };
  spec.col_label = [label, axis = about.cols](int col) { return label(axis, col); };
  spec.tint = [scale](float value) { return scale.color(value); };
  spec.drag_step = drag_step(scale.high());
  spec.size = {ImGui::GetContentRegionAvail().x, grid_height(frame.ui, numbers.rows)};
  return spec;
}

void edit_numbers(Frame& frame, const StageId& stage, NumberEditorForm& form) {
  const auto numbers = numbers_of(frame, stage, form);
  PictureOptions options = frame.session.picture;
  options.range = RangeMode::map;
  const ColorScale scale(options, info(stage.kind).is_signed, numbers->view());
  const NumberGridSpec spec = grid_spec(frame, stage, *numbers, scale);
  if (form.closes_when_valid) {
    // Commits what was typed. If it is not a number, the sheet stays open with a complaint.
    NumberGridResult last;
    form.closes_when_valid = finish_typing(spec, form.grid, last);
    apply_grid_result(frame, stage, std::move(last));
    if (form.closes_when_valid) return;
  }
  if (auto changed = number_buttons(frame, spec, form.grid)) give(frame, stage, std::move(*changed));
  apply_grid_result(frame, stage, number_grid(frame.ui, "numbers", spec, form.grid));
  const Theme& theme = frame.ui.theme();
  const bool has_complaint = !form.grid.complaint.empty();
  paragraph(
      frame.ui,
      has_complaint
          ? form.grid.complaint
          : "Type to replace · Enter down, Tab on · drag sideways to change · Shift selects a range · Ctrl+C, Ctrl+V · Ctrl+Z undoes",
      has_complaint ? theme.warning : theme.quiet);
  if (auto read = open_numbers_row(frame, spec, form)) give(frame, stage, std::move(*read));
}

/// The reason why the numbers of the form's stage cannot be edited now. Empty if they can.
std::string why_not_editable(const Frame& frame, const StageId& stage) {
  // A pass from before an error has stale numbers, and perhaps other sizes.
  if (!frame.trace || !frame.error.empty())
    return frame.error.empty() ? "There is no pass yet: type a sentence first." : frame.error + ".";
  if (!frame.trace->has(stage))
    return "This model has no " + stage_words(frame.session.architecture, stage) + ".";
  const Extent size = frame.trace->extent(stage);
  if (std::int64_t{size.rows} * size.cols > max_edited)
    return "This matrix has more than a million numbers, too many to edit by hand. On the command line, --set gives it from a file.";
  return {};
}

void last_row(Frame& frame, const StageId& stage, NumberEditorForm& form, bool is_given) {
  if (button(frame.ui, "Done", "Close this (Esc); the numbers stay", "", ButtonStyle::primary))
    form.closes_when_valid = true;
  ImGui::SameLine();
  ImGui::BeginDisabled(!is_given);
  if (button(frame.ui, "Computed again",
             "Removes the given numbers: the matrix is drawn, read or computed again")) {
    frame.emit(SetGiven{path(stage), std::nullopt});
    form.grid.typed.reset();
    form.grid.complaint.clear();
    form.grid.takes_focus = true;
  }
  ImGui::EndDisabled();
}

constexpr const char* edit_numbers_words = "Edit numbers…";
constexpr float before_edit_link = 16.0F;

}  // namespace

void number_editor(Frame& frame) {
  NumberEditorForm& form = frame.screen.number_editor;
  if (!form.stage) return;
  const StageId stage = canonical(frame.session.architecture, *form.stage);
  constexpr float width = 900.0F;
  const bool was_typing = form.grid.typed.has_value();
  bool open = true;
  std::optional<Sheet> sheet(std::in_place, frame.ui, "number editor", open, width);
  const bool is_dismissed = !open;
  // Escape first discards typed text, then closes the sheet. A click beside the sheet commits the text.
  if (is_dismissed && !was_typing) form.closes_when_valid = true;
  const bool is_given = frame.session.given.at(path(stage)) != nullptr;
  const std::string problem = why_not_editable(frame, stage);
  if (!problem.empty()) {
    paragraph(frame.ui, problem, frame.ui.theme().text, text_size::body);
  } else {
    heading(frame, stage, is_given, form);
    edit_numbers(frame, stage, form);
  }
  const bool closes = form.closes_when_valid && !form.next;
  last_row(frame, stage, form, is_given);
  sheet.reset();
  const bool is_crossed_out = !open && !is_dismissed;
  if (is_crossed_out) form.closes_when_valid = true;
  const std::optional<StageId> next = std::exchange(form.next, std::nullopt);
  if (next && form.closes_when_valid && problem.empty()) return open_number_editor(frame.screen, *next);
  if (closes || (form.closes_when_valid && !problem.empty())) form = {};
  if (form.closes_when_valid) frame.ui.wake_in(0.0);
}

std::optional<StageId> stage_to_edit(const Session& session) {
  const Selection& selection = session.selection;
  if (selection.pin && can_be_given(selection.pin->stage.kind)) return selection.pin->stage;
  if (can_be_given(selection.stage)) return selection.at(selection.stage);
  return std::nullopt;
}

void open_number_editor(ScreenState& screen, const StageId& stage, CellIndex at) {
  screen.number_editor = {};
  screen.number_editor.stage = stage;
  screen.number_editor.grid.at = screen.number_editor.grid.anchor = at;
  screen.number_editor.grid.scrolls_to_cell = true;
}

float width_of_edit_link(const Frame& frame) {
  const bool has_link = !frame.screen.presents && can_be_given(frame.session.selection.stage);
  return has_link ? link_width(frame.ui, edit_numbers_words) / frame.ui.page_scale() + before_edit_link
                  : 0.0F;
}

void edit_link_at_end(Frame& frame) {
  const ImVec2 start = ImGui::GetCursorPos();
  ImGui::SetCursorPosX(start.x + ImGui::GetContentRegionAvail().x - link_width(frame.ui, edit_numbers_words));
  edit_numbers_link(frame, selected_stage(frame, frame.session.selection.stage));
  ImGui::SetCursorPos(start);
}

void edit_numbers_link(Frame& frame, const StageId& stage, CellIndex at) {
  if (!can_be_given(stage.kind)) return;
  if (link(frame.ui, edit_numbers_words,
           frame.with_keys("Give these numbers by hand, and see what changes", CommandId::edit_numbers)
               .c_str()))
    open_number_editor(frame.screen, stage, at);
}

}  // namespace headscope
