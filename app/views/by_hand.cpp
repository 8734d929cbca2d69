#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/imgui/keys.h"
#include "app/parts/page_part.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/number_grid.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/io/matrix_text.h"
#include "core/page/pages.h"
#include "core/page/parts/small_numbers.h"
#include "core/text/number_text.h"
#include "core/trace/given_stage.h"

namespace headscope {
namespace {

/// The starting points of this page, and their labels.
constexpr std::array<std::pair<const char*, const char*>, 2> sizes{
    {{"Your own 2 × 2", "2 × 2"}, {"Your own 3 × 3", "3 × 3"}}};

OwnedMatrix numbers_of(const Frame& frame, const StageId& stage) {
  if (const auto given = frame.session.given.at(path(stage))) return *given;
  const Extent size = frame.trace->extent(stage);
  return OwnedMatrix(frame.trace->read(stage, {0, 0, size.rows, size.cols}).view);
}

/// Draws new small whole numbers for words and weights in one undo step, and recomputes typed queries, keys
/// and values.
void new_numbers(Frame& frame) {
  SmallNumbers numbers;
  const std::array<std::pair<StageKind, Matrix*>, 4> drawn{{{StageKind::input, &numbers.input},
                                                            {StageKind::w_query, &numbers.w_query},
                                                            {StageKind::w_key, &numbers.w_key},
                                                            {StageKind::w_value, &numbers.w_value}}};
  const auto stage_of = [&](StageKind kind) {
    return canonical(frame.session.architecture, frame.session.selection.at(kind));
  };
  for (const auto& [kind, matrix] : drawn) {
    if (!frame.trace->has(stage_of(kind))) return;
    const Extent size = frame.trace->extent(stage_of(kind));
    matrix->resize(size.rows, size.cols);
  }
  std::mt19937 generator(std::random_device{}());
  draw_small_numbers(numbers, generator);
  std::vector<GivenMatrix> all;
  for (const auto& [kind, matrix] : drawn)
    all.push_back({path(stage_of(kind)), std::make_shared<const OwnedMatrix>(view_of(*matrix))});
  frame.emit(set_given_matrices(std::move(all)));
}

/// The buttons that open a starting point, on one line.
void start_buttons(Frame& frame, const std::string& before, ButtonStyle look) {
  for (const auto& [preset, label] : sizes) {
    if (button(
            frame.ui, (before + label).c_str(),
            "Opens two or three words with small whole numbers in place of your sentence and its model; undo brings them back",
            "", look))
      frame.emit(load_preset(preset));
    ImGui::SameLine();
  }
}

/// A button that recomputes the results that were overridden by typing. Draws nothing if there are none.
void recompute_button(Frame& frame) {
  using enum StageKind;
  std::string symbols;
  std::vector<std::string> typed;
  for (const StageKind kind : {query, key, value, raw, scaled, masked, weights, output}) {
    const std::string place = path(canonical(frame.session.architecture, frame.session.selection.at(kind)));
    if (frame.session.given.at(place) == nullptr) continue;
    symbols += (symbols.empty() ? "" : ", ") + std::string(info(kind).symbol);
    typed.push_back(place);
  }
  if (typed.empty()) return;
  ImGui::SameLine();
  if (!button(frame.ui, ("Compute " + symbols + " again").c_str(),
              "Discards what was typed there, and computes it from the preceding matrices again"))
    return;
  for (const std::string& place : typed) frame.emit(SetGiven{place, std::nullopt});
}

/// The last session that the page could not show. Null if undo leads to none. Cached for the newest undo
/// step, because the search may tokenize many sessions.
const Session* last_large_session(Frame& frame) {
  if (frame.undo_stack.empty()) return nullptr;
  auto& [newest, known] = frame.screen.own.of<std::pair<History::Step, History::Step>>("last large session");
  if (newest == frame.undo_stack.back()) return known.get();
  const auto is_too_large = [](const History::Step& step) {
    return !is_small_enough(step->architecture, texts_of(*step).sentence().size());
  };
  const auto found = std::find_if(frame.undo_stack.rbegin(), frame.undo_stack.rend(), is_too_large);
  newest = frame.undo_stack.back();
  known = found == frame.undo_stack.rend() ? nullptr : *found;
  return known.get();
}

/// A button that returns to the session before the small head.
void back_button(Frame& frame) {
  const Session* before = last_large_session(frame);
  if (before == nullptr) return;
  // The sentence is named if it fits into the line of buttons, at least its beginning.
  constexpr float min_words_width = 60.0F, max_words = 130.0F, gap = 8.0F;
  ImGui::SameLine(0.0F, frame.ui.px(gap));
  const float room = ImGui::GetContentRegionAvail().x - button_width(frame.ui, "Back to “…”");
  std::string label = "Back###back";
  if (room >= frame.ui.px(min_words_width)) {
    const std::string sentence = paint::fitted(frame.ui, before->sentence, Font::sans, text_size::control,
                                               std::min(room, frame.ui.px(max_words)));
    // A label ends at “##”.
    label = "Back to “" + sentence.substr(0, sentence.find("##")) + "”###back";
  }
  continue_line(frame.ui.px(gap), button_width(frame.ui, label.c_str()));
  if (button(frame.ui, label.c_str(),
             "Returns to the previous sentence and model; undo brings these numbers back")) {
    Session back = with_subject(frame.session, before->subject());
    back.view = before->view;
    frame.emit(OpenSession{std::move(back)});
  }
}

/// The line above the equations.
void equation_controls(Frame& frame) {
  start_buttons(frame, "", ButtonStyle::plain);
  if (button(frame.ui, "New numbers", "Other small whole numbers for the words and the weights"))
    new_numbers(frame);
  ImGui::SameLine();
  const bool covers = frame.session.cover.stage.has_value();
  command_button(
      frame, covers ? "Show all" : "Cover",
      "Hides the numbers of the selected matrix, so that you can find them with a pencil and type them",
      CommandId::toggle_cover);
  if (is_offered(ExportKind::worksheet)) ImGui::SameLine();
  if (is_offered(ExportKind::worksheet) &&
      button(frame.ui, "Worksheet…", "Saves this head as an exercise for paper, and its solution, as PDF"))
    frame.screen.export_form.show(ExportKind::worksheet);
  recompute_button(frame);
  back_button(frame);
  text_line(
      frame.ui,
      {{"Point at a number to see how it is computed. Click it to type another: Tab goes on, Enter goes down.",
        Font::sans, text_size::small, frame.ui.theme().quiet}});
}

void begin_typing(Frame& frame, const std::string& slot, const StageId& stage, CellIndex cell) {
  frame.emit(PinCell{{stage, cell.row, cell.col}});
  const float number = frame.trace->read(stage, {cell.row, cell.col, 1, 1}).view(0, 0);
  frame.screen.inline_edit = InlineNumberEdit{slot, stage, cell, number_text(static_cast<double>(number), 4)};
  frame.ui.wake_in(0.0);
}

/// The matrix to edit after this one, cyclically, among those that define the head or among those that
/// override its results. Null if the page shows none.
const StageCells* matrix_after(const Page& page, StageKind kind) {
  using enum StageKind;
  static constexpr std::array groups{std::array{input, w_query, w_key, w_value},
                                     std::array{query, key, value, query}};
  for (const auto& group : groups) {
    const auto found = std::ranges::find(group, kind);
    if (found == group.end()) continue;
    const StageKind next = found + 1 == group.end() ? group.front() : *(found + 1);
    for (const HitRegion& region : page.regions) {
      const auto* cells = std::get_if<StageCells>(&region.meaning);
      if (cells != nullptr && cells->stage.kind == next) return cells;
    }
  }
  return nullptr;
}

/// The cell that Enter or Tab goes to: down the column from which Tab came, or along the row and then to the
/// next. Empty after the last number.
std::optional<CellIndex> cell_after(const InlineNumberEdit& typing, const Extent& size, bool down) {
  const auto [row, col] = typing.cell;
  if (!down && col + 1 < size.cols) return CellIndex{row, col + 1};
  if (row + 1 < size.rows) return CellIndex{row + 1, down ? typing.tabbed_from.value_or(col) : 0};
  if (down && !typing.tabbed_from && col + 1 < size.cols) return CellIndex{0, col + 1};
  return std::nullopt;
}

/// Moves on to the next number. After the last one of a matrix, Tab goes to the first of the next, and Enter
/// ends typing.
void type_next(Frame& frame, const Page& page, const InlineNumberEdit& typing, bool down) {
  const std::optional<CellIndex> cell = cell_after(typing, frame.trace->extent(typing.stage), down);
  if (!cell && down) return;
  const StageCells* after = cell ? nullptr : matrix_after(page, typing.stage.kind);
  if (after != nullptr) {
    begin_typing(frame, after->slot, after->stage, {0, 0});
  } else {
    begin_typing(frame, typing.slot, typing.stage, cell.value_or(CellIndex{0, 0}));
  }
  if (!down)
    frame.screen.inline_edit->tabbed_from =
        after != nullptr ? 0 : typing.tabbed_from.value_or(typing.cell.col);
}

/// Applies the typed number. Invalid text changes nothing.
void apply_typed(Frame& frame, InlineNumberEdit& typing) {
  const CellNumber typed = parse_cell(typing.text);
  OwnedMatrix numbers = numbers_of(frame, typing.stage);
  const bool is_inside = typing.cell.row < numbers.rows && typing.cell.col < numbers.cols;
  if (typed.problem != CellProblem::none || !is_inside) return;
  const std::size_t at = static_cast<std::size_t>(typing.cell.row) * static_cast<std::size_t>(numbers.cols) +
                         static_cast<std::size_t>(typing.cell.col);
  numbers.values[at] = typed.value;
  typing.continues = typing.given.has_value();
  typing.given = typed.value;
  frame.emit(SetGiven{path(typing.stage), std::move(numbers)});
}

/// Whether the cell still exists and holds what was typed into it. Undo or another model may change that.
bool is_up_to_date(const Frame& frame, const InlineNumberEdit& typing) {
  const Extent size = frame.trace->has(typing.stage) ? frame.trace->extent(typing.stage) : Extent{};
  if (typing.cell.row >= size.rows || typing.cell.col >= size.cols) return false;
  if (!typing.given) return true;
  const auto kept = frame.session.given.at(path(typing.stage));
  return kept && typing.cell.row < kept->rows && typing.cell.col < kept->cols &&
         kept->view()(typing.cell.row, typing.cell.col) == *typing.given;
}

/// The field over the number that is being typed.
void typed_number(Frame& frame, const PageMouse& page) {
  std::optional<InlineNumberEdit>& typing = frame.screen.inline_edit;
  if (!typing) return;
  if (!is_up_to_date(frame, *typing)) return typing.reset();
  const auto region = std::ranges::find_if(page.page->regions, [&](const HitRegion& part) {
    const auto* cells = std::get_if<StageCells>(&part.meaning);
    return cells != nullptr && cells->slot == typing->slot;
  });
  if (region == page.page->regions.end()) return typing.reset();
  const auto& cells = std::get<StageCells>(region->meaning);
  const Box box = cells.grid.box_of(typing->cell.row, typing->cell.col);
  const float scale = frame.ui.page_scale();
  ImGui::SetCursorScreenPos({page.origin.x + box.x * scale, page.origin.y + box.y * scale});
  ImGui::SetNextItemWidth(box.w * scale);
  const PushedFont font =
      push_font(frame.ui, Font::sans, number_size_by_hand(cells.grid.cell_width) * frame.ui.enlargement());
  // The number stays in the middle of its cell while it is typed.
  const float taken = ImGui::CalcTextSize(typing->text.c_str()).x;
  const ImVec2 padding(std::max(frame.ui.px(4), (box.w * scale - taken) / 2.0F),
                       std::max(0.0F, (box.h * scale - ImGui::GetFontSize()) / 2.0F));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, padding);
  const bool arrives = std::exchange(typing->takes_focus, false);
  if (arrives) frame.ui.focus_next_item();
  constexpr std::size_t max_bytes = 24;
  const bool edited =
      text_input(frame.ui, "##typed number", typing->text, {.selects_all = true, .max_bytes = max_bytes});
  // The field of the previous number has the same ID, so ImGui reports in the first frame that it was left.
  const bool has_left = !arrives && ImGui::IsItemDeactivated();
  const bool tabs = ImGui::IsItemActive() && ImGui::IsKeyPressed(native_key(Key::tab), false);
  ImGui::PopStyleVar();
  if (edited) apply_typed(frame, *typing);
  if (!has_left && !tabs) return;
  const InlineNumberEdit left = *std::exchange(typing, std::nullopt);
  const bool down = has_left && ImGui::IsKeyPressed(native_key(Key::enter), false);
  if (!down && !tabs) return;
  // Tab also moves ImGui's focus on, to the sentence, where keys typed in the meantime would end up.
  frame.ui.hold_keys();
  type_next(frame, *page.page, left, down);
}

}  // namespace

void by_hand_view(Frame& frame) {
  const Panel panel(frame.ui, "by hand", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const bool is_small = is_small_enough(*frame.trace);
  if (is_small) {
    equation_controls(frame);
  } else {
    start_buttons(frame, "Begin with ", ButtonStyle::primary);
    ImGui::NewLine();
  }
  const PageMouse mouse = draw_page(frame, PageName::by_hand, PageDependency::mouse);
  // Explain the number being typed, not the one under the resting mouse.
  if (std::optional<InlineNumberEdit>& typing = frame.screen.inline_edit) {
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    typing->mouse_moved = typing->mouse_moved || moved.x != 0.0F || moved.y != 0.0F;
    if (!typing->mouse_moved) frame.screen.next_hovered.reset();
  }
  const ImVec2 below = ImGui::GetCursorPos();
  typed_number(frame, mouse);
  ImGui::SetCursorPos(below);
  const auto* cells = mouse.on<StageCells>();
  if (!mouse.clicked || cells == nullptr || frame.screen.marks_cells()) return;
  const auto cell = cells->grid.cell_at(mouse.at);
  const bool is_covered = frame.session.cover.is_over(canonical(frame.session.architecture, cells->stage));
  if (cell && can_be_given(cells->stage.kind) && !is_covered)
    begin_typing(frame, cells->slot, cells->stage, *cell);
}

}  // namespace headscope
