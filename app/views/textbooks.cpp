#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/parts/page_part.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/pages.h"
#include "core/session/settings.h"
#include "core/textbook/computed_example.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

constexpr float list_width = 264.0F;
constexpr float row_height = 24.0F;
/// Below this width of the view, the list folds into one line.
constexpr float min_width_beside_list = 700.0F;

/// A row of the list. Returns true if it was clicked.
bool list_row(Frame& frame, const char* id, const std::string& label, bool is_shown, bool is_possible) {
  Ui& ui = frame.ui;
  const Theme& theme = ui.theme();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 max(min.x + width, min.y + ui.px(row_height));
  // The rows of a list are closer together than controls.
  const ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {spacing.x, std::max(spacing.y - ui.px(6), 0.0F)});
  const bool clicked = invisible_button(id, {width, max.y - min.y});
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (is_shown || ImGui::IsItemHovered())
    list.AddRectFilled(min, max, packed(is_shown ? theme.accent_soft : theme.control), ui.px(6));
  const float padding = ui.px(8);
  paint::text(ui, list, min.x + padding, std::round((min.y + max.y) / 2.0F),
              paint::fitted(ui, label, Font::sans, text_size::body, width - 2.0F * padding), Font::sans,
              text_size::body, is_possible ? theme.text : theme.quiet);
  paint::focus_ring(ui, list, ui.px(6));
  return clicked;
}

/// The list of examples below their sources. When the page opens, it scrolls to the chosen example.
void example_list(Frame& frame, const WorkedExample& shown) {
  const std::string* author = nullptr;
  for (const WorkedExample& example : worked_examples()) {
    if (author == nullptr || *author != example.author) section(frame.ui, example.author.c_str());
    author = &example.author;
    const bool is_shown = &example == &shown;
    if (list_row(frame, example.name.c_str(), example.heading, is_shown, example.impossible.empty()))
      frame.emit(set_to("textbook", example.name));
    tooltip_for_item(frame.ui, (example.title + ", " + example.where).c_str());
    if (is_shown && !frame.session.textbook.empty() && ImGui::IsWindowAppearing())
      ImGui::SetScrollHereY(0.3F);
  }
}

/// The list as one line, if there is no room for it beside the page.
void example_line(Frame& frame, const WorkedExample& shown) {
  const std::vector<std::string> names = listed(worked_examples(), &WorkedExample::heading);
  const std::vector<std::string> authors = listed(worked_examples(), &WorkedExample::author);
  int selected = static_cast<int>(&shown - worked_examples().data());
  if (combo(frame.ui, "##example", names, selected, "The worked example", authors))
    frame.emit(set_to("textbook", worked_examples()[static_cast<std::size_t>(selected)].name));
}

void open_session(Frame& frame, Session session) {
  session.textbook = shown_example(frame.session).name;
  frame.emit(OpenSession{std::move(session)});
}

/// The buttons that open the example's numbers in the window, one for each case if it has several.
void open_buttons(Frame& frame, const WorkedExample& example) {
  if (!example.opens()) return;
  constexpr const char* tooltip = "Opens its numbers for editing, with every stage; undo returns here";
  if (button(frame.ui, "Open its numbers", tooltip, "", ButtonStyle::primary))
    open_session(frame, open_case(example, 0, frame.session));
  if (example.cases.size() > 1) {
    const std::vector<std::string> names = listed(example.cases, &ExampleCase::name);
    ImGui::SameLine(0.0F, frame.ui.px(8.0F));
    const std::string label = std::to_string(names.size()) + " cases";
    if (const auto chosen = menu(frame.ui, label.c_str(), names, "Opens the numbers of one of the cases"))
      open_session(frame, open_case(example, static_cast<std::size_t>(*chosen), frame.session));
  }
  ImGui::SameLine(0.0F, frame.ui.px(12.0F));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + frame.ui.px(7.0F));
  text(frame.ui, "or click a number to see how it is computed", Font::sans, text_size::small,
       frame.ui.theme().quiet);
}

/// A click on a number opens the session that contains it, at its cell.
void handle_quantity_mouse(Frame& frame, const WorkedExample& example, const PageMouse& mouse) {
  const auto* area = mouse.on<QuantityArea>();
  if (area == nullptr || !example.opens()) return;
  PageTools tools = page_tools(frame);
  const ComputedExample* computed = computed_example(page_inputs(frame), tools);
  if (computed == nullptr) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const auto cell = area->grid.cell_at(mouse.at);
  tooltip(frame.ui, cell ? "Click to see how this number is computed" : "Click to see this stage");
  if (!mouse.clicked) return;
  const auto at = cell ? std::optional(Cell{cell->row, cell->col}) : std::nullopt;
  open_session(frame, open_at(example, *computed, area->quantity, at, frame.session));
}

void shown_page(Frame& frame, const WorkedExample& example) {
  const Panel panel(frame.ui, "textbooks", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  open_buttons(frame, example);
  if (!example.lesson.empty()) lesson_link(frame, example.lesson, text_size::control);
  handle_quantity_mouse(frame, example, draw_page(frame, PageName::textbooks));
}

}  // namespace

void textbooks_view(Frame& frame) {
  const WorkedExample& shown = shown_example(frame.session);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = frame.ui.px(panel_gap);
  if (room.x >= frame.ui.px(min_width_beside_list)) {
    const float width = frame.ui.px(list_width);
    {
      const Panel panel(frame.ui, "examples", {width, room.y}, PanelScroll::vertical);
      example_list(frame, shown);
    }
    ImGui::SameLine(0.0F, gap);
  } else {
    example_line(frame, shown);
  }
  shown_page(frame, shown);
}

}  // namespace headscope
