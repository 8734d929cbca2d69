#include "app/views/palette_sheet.h"

#include <optional>
#include <variant>

#include "app/widgets/search_list.h"
#include "app/widgets/sentence_field.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "core/overloaded.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

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
  frame.screen.panels.has_controls = true;
  frame.ui.seek(setting.sentence);
}

void carry_out(Frame& frame, const PaletteEntry& entry) {
  const Overloaded how{
      [&](const RunCommand& command) { frame.emit(static_cast<CommandId>(command.number)); },
      [&](const std::vector<Action>& actions) {
        for (const Action& action : actions) frame.emit(action);
      },
      [&](const GoToControl& control) { go_to_control(frame, *control.setting); },
      [&](const ShowLesson& lesson) { frame.send(OpenLesson{lesson.name}); },
  };
  std::visit(how, entry.does);
}

}  // namespace

void palette_sheet(Frame& frame) {
  PaletteForm& form = frame.screen.palette;
  if (!form.open || !form.palette) return;
  const Sheet sheet(frame.ui, "palette", form.open, 680.0F);
  const SearchEntry typed = search_entry(
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
    text(frame.ui, "Nothing has this name: try fewer letters, or another word.", Font::sans, text_size::body,
         frame.ui.theme().text);
  const auto chosen = search_list(frame.ui, form.found.size(), row_of, typed, form.selected);
  text(frame.ui, "↑ ↓ choose · Enter runs it · Esc closes · “1.2” is layer 1, head 2", Font::sans,
       text_size::small, frame.ui.theme().quiet);
  if (!chosen) return;
  const PaletteEntry& entry = form.found[*chosen].entry;
  // An entry that can do nothing says why, and stays in sight.
  const auto* actions = std::get_if<std::vector<Action>>(&entry.does);
  if (actions != nullptr && actions->empty()) return;
  carry_out(frame, entry);
  form.open = false;
}

}  // namespace headscope
