#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "app/views/sheets.h"
#include "app/widgets/paint.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/overloaded.h"
#include "core/session/settings.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

/// A line in a list of search results.
struct SearchRow {
  std::string_view text;
  std::span<const TextSpan> marked;  ///< byte ranges of the text, ascending
  std::string_view about;            ///< quiet, after the text
  std::string_view kind;             ///< quiet, on the right
  std::string_view shortcut;         ///< as a key, to the right of `kind`
};

constexpr float entry_height = 30.0F;
constexpr int max_rows = 11;
constexpr float kind_width = 104.0F;

/// Draws a text with its marks. Returns where it ends.
float marked_text(const Ui& ui, ImDrawList& list, ImVec2 at, const SearchRow& row, float room) {
  const Theme& theme = ui.theme();
  const std::string shown = paint::fitted(ui, row.text, Font::sans, text_size::body, room);
  // "…" replaces the letters from here on.
  const bool is_cut = shown.size() != row.text.size() || shown != row.text;
  constexpr std::size_t ellipsis = 3;
  const std::size_t end = is_cut ? shown.size() - std::min(ellipsis, shown.size()) : shown.size();
  float x = at.x;
  std::size_t from = 0;
  const auto draw = [&](std::size_t to, Font font, Color color) {
    if (to <= from) return;
    const std::string_view part = std::string_view(shown).substr(from, to - from);
    x += paint::text(ui, list, x, at.y, part, font, text_size::body, color);
    from = to;
  };
  for (const TextSpan& mark : row.marked) {
    draw(std::min(mark.begin, end), Font::sans, theme.text);
    draw(std::min(mark.end, end), Font::sans_bold, theme.accent);
  }
  draw(shown.size(), Font::sans, theme.text);
  return x;
}

void draw_row(Ui& ui, const SearchRow& row, ImVec2 min, float width, bool is_selected) {
  const Theme& theme = ui.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = ui.px(entry_height);
  const ImVec2 max(min.x + width, min.y + height);
  if (is_selected) list.AddRectFilled(min, max, packed(theme.control), ui.px(6));
  const float middle = std::round((min.y + max.y) / 2.0F);
  const float padding = ui.px(10);
  float right = max.x - padding;
  if (!row.shortcut.empty()) {
    const float chip = paint::text_width(ui, row.shortcut, Font::mono, 10.0F) + ui.px(12);
    const ImVec2 corner(right - chip, middle - ui.px(9));
    paint::card(ui, list, corner, {right, corner.y + ui.px(18)}, theme.panel, theme.line, ui.px(4));
    paint::text(ui, list, corner.x + chip / 2.0F, middle, row.shortcut, Font::mono, 10.0F, theme.quiet,
                paint::Align::center);
    right -= chip + padding;
  }
  const float kind = std::min(ui.px(kind_width), width * 0.25F);
  right -=
      paint::text(ui, list, right, middle, paint::fitted(ui, row.kind, Font::sans, text_size::small, kind),
                  Font::sans, text_size::small, theme.quiet, paint::Align::right) +
      padding;
  const float left = min.x + padding;
  const float before_about = ui.px(14);
  const float end = marked_text(ui, list, {left, middle}, row, right - left) + before_about;
  if (right - end < ui.px(40)) return;
  paint::text(ui, list, end, middle, paint::fitted(ui, row.about, Font::sans, text_size::small, right - end),
              Font::sans, text_size::small, theme.quiet);
}

/// The number of lines for which the window has room.
int rows_in_view(const Ui& ui) {
  const float room = ImGui::GetIO().DisplaySize.y - ui.px(176.0F);
  return std::clamp(static_cast<int>(room / ui.px(entry_height)), 2, max_rows);
}

/// The results below a search field. The list always has the same height and scrolls to the selected line.
/// The arrow keys and the mouse select a line, and the arrow keys wrap around at the ends. Enter and a click
/// choose it. Returns the chosen line.
std::optional<std::size_t> search_list(Ui& ui, std::size_t n_rows,
                                       const std::function<SearchRow(std::size_t)>& row_of,
                                       const SearchFieldResult& typed, int& selected) {
  const int n = static_cast<int>(n_rows);
  if (n > 0) selected = ((selected + typed.moved) % n + n) % n;
  std::optional<std::size_t> chosen;
  if (typed.confirmed && n > 0) chosen = static_cast<std::size_t>(selected);
  const float height = ui.px(entry_height);
  constexpr bool padded = false;
  begin_child("found", {ImGui::GetContentRegionAvail().x, height * static_cast<float>(rows_in_view(ui))},
              padded, ImGuiWindowFlags_NoNav);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float top = ImGui::GetScrollY();
  const float room = ImGui::GetWindowHeight();
  const float at = height * static_cast<float>(selected);
  if (typed.edited) ImGui::SetScrollY(0.0F);
  if (typed.moved != 0) ImGui::SetScrollY(std::clamp(top, at + height - room, at));
  const ImGuiIO& io = ImGui::GetIO();
  const bool mouse_moves = io.MouseDelta.x != 0.0F || io.MouseDelta.y != 0.0F;
  const int first = std::max(0, static_cast<int>(top / height));
  const int last = std::min(n, static_cast<int>((top + room) / height) + 1);
  for (int i = first; i < last; ++i) {
    const ImVec2 min(origin.x, origin.y + height * static_cast<float>(i));
    const bool is_under_mouse =
        ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, {min.x + width, min.y + height});
    if (is_under_mouse && mouse_moves) selected = i;
    if (is_under_mouse && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) chosen = static_cast<std::size_t>(i);
    const SearchRow row = row_of(static_cast<std::size_t>(i));
    draw_row(ui, row, min, width, i == selected);
  }
  ImGui::Dummy({1.0F, height * static_cast<float>(n)});
  end_child();
  return chosen;
}

/// The page with the control of a setting. Empty if the control is in the panel of every page.
std::optional<PageName> page_of_control(const Setting& setting) {
  if (setting.group == training_group) return PageName::train;
  if (setting.group == word_group) return PageName::words;
  return std::nullopt;
}

void go_to_control(Frame& frame, const Setting& setting) {
  constexpr int settings_column = 1;
  const auto page = page_of_control(setting);
  if (page && *page != frame.session.view) frame.emit(SetView{*page});
  frame.screen.column = page ? 0 : settings_column;
  frame.screen.show_inspector = false;
  frame.screen.has_controls(frame.lesson != nullptr) = true;
  frame.ui.reveal(setting.sentence);
}

void execute(Frame& frame, const PaletteEntry& entry) {
  const Overloaded how{
      [&](const RunCommand& command) { frame.emit(static_cast<CommandId>(command.number)); },
      [&](const std::vector<Action>& actions) {
        for (const Action& action : actions) frame.emit(action);
      },
      [&](const GoToControl& control) { go_to_control(frame, *control.setting); },
      [&](const ShowLesson& lesson) { frame.send(OpenLesson{lesson.name}); },
  };
  std::visit(how, entry.effect);
}

}  // namespace

void palette_sheet(Frame& frame) {
  PaletteForm& form = frame.screen.palette;
  if (!form.open || !form.palette) return;
  const Sheet sheet(frame.ui, "palette", form.open, 680.0F);
  const SearchFieldResult typed = search_field(
      frame.ui, "palette", form.typed, "Find a command, page, lesson, stage, head, token, model or setting");
  if (typed.edited) {
    form.found = form.palette->find(form.typed);
    form.selected = 0;
  }
  const auto row_of = [&](std::size_t i) {
    const Palette::Found& found = form.found[i];
    return SearchRow{found.entry.name, found.marked, found.entry.about, found.entry.kind,
                     found.entry.shortcut};
  };
  if (form.found.empty())
    text(frame.ui, "Nothing matches: try fewer letters, or another word.", Font::sans, text_size::body,
         frame.ui.theme().text);
  const auto chosen = search_list(frame.ui, form.found.size(), row_of, typed, form.selected);
  const auto selected = static_cast<std::size_t>(form.selected);
  const bool is_term = selected < form.found.size() && form.found[selected].entry.kind == term_kind;
  text(frame.ui,
       is_term ? form.found[selected].entry.about
               : "↑ ↓ choose · Enter runs it · Esc closes · “1.2” is layer 1, head 2",
       Font::sans, text_size::small, is_term ? frame.ui.theme().text : frame.ui.theme().quiet);
  if (!chosen) return;
  const PaletteEntry& entry = form.found[*chosen].entry;
  // An entry that can do nothing says why, and stays in sight.
  const auto* actions = std::get_if<std::vector<Action>>(&entry.effect);
  if (actions != nullptr && actions->empty()) return;
  execute(frame, entry);
  form.open = false;
}

}  // namespace headscope
