#include "app/views/top_bar.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "app/widgets/controls.h"
#include "app/widgets/tabs.h"
#include "app/widgets/text.h"
#include "core/enum_count.h"

namespace headscope {
namespace {

/// Three bars of different height: the program's mark.
void mark(Frame& frame) {
  const Ui& ui = frame.ui;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::array<float, 3> heights{8.0F, 16.0F, 11.0F};
  const float middle = at.y + ui.px(14.0F);
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const float x = at.x + ui.px(6.0F) * static_cast<float>(i);
    const float half = ui.px(heights[i]) / 2.0F;
    ImGui::GetWindowDrawList()->AddRectFilled({x, middle - half}, {x + ui.px(4.0F), middle + half},
                                              packed(ui.theme().accent), ui.px(2.0F));
  }
  ImGui::Dummy({ui.px(20.0F), ui.px(28.0F)});
}

/// The buttons that act on everything.
struct BarCommand {
  std::string label;
  const char* tooltip;
  CommandId id;
  bool on = false;  ///< its button stays in the accent colour
};

std::vector<BarCommand> bar_commands(const Frame& frame) {
  const bool is_light = frame.session.picture.theme == ThemeName::light;
  return {{"Undo", "Undo the last change (Ctrl+Z)", CommandId::undo},
          {"Redo", "Redo it (Ctrl+Shift+Z)", CommandId::redo},
          {"Difference",
           "What differs from A or, where nothing is held, from the previous state (Shift+D; hold D to peek)",
           CommandId::toggle_difference, frame.session.difference},
          {is_light ? "Dark" : "Light", "Light or dark theme (Ctrl+T)", CommandId::toggle_theme},
          {"Export", "Export the figure, the window or the numbers (Ctrl+E)", CommandId::export_sheet},
          {"?", "Shortcuts and help (F1)", CommandId::help}};
}

constexpr float button_gap = 4.0F;

float button_room(const Ui& ui, const std::string& label) {
  constexpr float around = 24.0F;
  return std::ceil(ui.measure()(label, Font::sans, text_size::body).width * ui.scale()) +
         ui.px(around + button_gap);
}

/// The commands that have no button for want of room.
void more_commands(Frame& frame, std::span<const BarCommand> commands) {
  std::vector<std::string> entries;
  for (const BarCommand& command : commands) entries.push_back(command.label == "?" ? "Help" : command.label);
  if (const auto chosen = menu(frame.ui, "More", entries, "Undo, the theme, saving, help"))
    frame.emit(commands[static_cast<std::size_t>(*chosen)].id);
}

/// How many of the commands have a button in this room, and what these and the menu of the others take up.
struct Fitting {
  std::size_t count = 0;
  float width = 0.0F;
};

Fitting fitting(const Ui& ui, std::span<const BarCommand> commands, float room) {
  float all = 0.0F;
  for (const BarCommand& command : commands) all += button_room(ui, command.label);
  if (all <= room) return {commands.size(), all};
  Fitting some{0, button_room(ui, "More")};
  for (; some.count < commands.size(); ++some.count) {
    const float more = button_room(ui, commands[some.count].label);
    if (some.width + more > room) break;
    some.width += more;
  }
  return some;
}

void commands_part(Frame& frame, std::span<const BarCommand> commands, std::size_t n_buttons) {
  const bool takes_keyboard = std::exchange(frame.screen.focus_bar, false);
  for (const BarCommand& command : commands.first(n_buttons)) {
    ImGui::SameLine(0.0F, frame.ui.px(button_gap));
    if (takes_keyboard && &command == &commands.back()) frame.ui.give_keyboard_to_next_item();
    if (button(frame.ui, command.label.c_str(), command.tooltip, "",
               command.on ? ButtonLook::primary : ButtonLook::quiet))
      frame.emit(command.id);
  }
  if (n_buttons == commands.size()) return;
  ImGui::SameLine(0.0F, frame.ui.px(button_gap));
  if (takes_keyboard) frame.ui.give_keyboard_to_next_item();
  more_commands(frame, commands.subspan(n_buttons));
}

/// The pages whose tabs have no room are in a menu, which has the name of the one that is open.
std::string pages_label(const Frame& frame, std::span<const Tab> views, std::size_t n_tabs) {
  const auto view = static_cast<std::size_t>(frame.session.view);
  return (view >= n_tabs && view < views.size() ? views[view].name : "Pages") + " ▾";
}

/// How wide the first tabs are with the menu of the others.
float pages_width(const Frame& frame, std::span<const Tab> views, std::size_t n_tabs) {
  const float shown = tabs_width(frame.ui, views.first(n_tabs));
  return n_tabs == views.size() ? shown : shown + button_room(frame.ui, pages_label(frame, views, n_tabs));
}

/// As many tabs as fit with the menu of the others, or all.
std::size_t fitting_tabs(const Frame& frame, std::span<const Tab> views, float room) {
  std::size_t n = views.size();
  while (n > 0 && pages_width(frame, views, n) > room) --n;
  return n;
}

void view_tabs(Frame& frame, std::span<const Tab> views, std::size_t n_tabs) {
  const Ui& ui = frame.ui;
  int view = static_cast<int>(frame.session.view);
  const auto shown = views.first(n_tabs);
  if (n_tabs > 0 && tabs(frame.ui, "views", shown, view, tabs_width(frame.ui, shown)))
    frame.emit(SetView{static_cast<View>(view)});
  if (n_tabs == views.size()) return;
  if (n_tabs > 0) ImGui::SameLine(0.0F, ui.px(button_gap));
  std::vector<std::string> names;
  names.reserve(views.size() - n_tabs);
  for (const Tab& tab : views.subspan(n_tabs)) names.push_back(tab.name);
  const bool is_open = static_cast<std::size_t>(view) >= n_tabs;
  if (const auto chosen = menu(frame.ui, pages_label(frame, views, n_tabs).c_str(), names, "The other pages",
                               is_open ? ButtonLook::plain : ButtonLook::quiet))
    frame.emit(SetView{static_cast<View>(static_cast<int>(n_tabs) + *chosen)});
}

/// The program's name, and the architecture in words where these leave the tabs their room. Where the tabs
/// begin.
float name_part(Frame& frame, float room, float least) {
  const Ui& ui = frame.ui;
  const float middle = room - ui.px(16.0F);
  const float with_words = ui.px(460.0F);
  const bool has_words = middle > with_words;
  const std::string words = has_words ? architecture_in_words(frame.session.architecture) : "";
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ui.px(4.0F));
  text_line(frame.ui,
            {{"Headscope", Font::sans_bold, text_size::title, ui.theme().text},
             {words, Font::sans, text_size::small, ui.theme().quiet}},
            16.0F);
  return has_words ? middle : least;
}

}  // namespace

std::string architecture_in_words(const Architecture& a) {
  const char* stacks = !a.has_self()                 ? "cross-attention"
                       : a.has_cross()               ? "encoder–decoder"
                       : a.stacks == Stacks::encoder ? "encoder"
                                                     : "decoder";
  std::string words = std::string(stacks) + " · " + layers_text(a) + " × " + std::to_string(a.n_heads) +
                      (a.n_heads == 1 ? " head" : " heads") + " · d_model " + std::to_string(a.d_model);
  if (!validate(a)) return words;  // the heads do not divide d_model: there is no d_head
  words += " · d_head " + std::to_string(a.head_width());
  if (a.value_width() != a.head_width()) words += " · d_value " + std::to_string(a.value_width());
  return words;
}

void top_bar(Frame& frame) {
  static const auto all_views = one_for_each<View, Tab>(
      Tab{"Explore", "", "A sentence, its attention lines and one large stage (Ctrl+1)"},
      Tab{"Stages", "", "Every stage of one head on one page (Ctrl+2)"},
      Tab{"Heads", "", "One stage of all heads side by side (Ctrl+3)"},
      Tab{"Model", "", "The architecture as a diagram you can explore (Ctrl+4)"},
      Tab{"Positions", "", "How the model knows the order of the words (Ctrl+5)"},
      Tab{"Words", "", "Logits, probabilities and the next word (Ctrl+6)"},
      Tab{"Split", "", "How a token's row is split into heads (Ctrl+7)"},
      Tab{"Train", "", "Watch the model learn (Ctrl+8)"},
      Tab{"Compare", "", "Two sentences, heads, masks or models beside each other (Ctrl+9)"},
      Tab{"Effects", "", "What each head does to a prediction (E)"},
      Tab{"Lines", "", "Lines from every token to those it attends to, of one head or several (L)"},
      Tab{"Tiles", "", "Softmax tile by tile, as FlashAttention computes it (I)"},
      Tab{"Decoding", "", "Token by token, with the keys and values of those before in a cache (V)"},
      Tab{"Textbooks", "", "Worked examples, their printed numbers beside the computed ones (B)"},
      Tab{"Scale", "", "Why scores are divided by √d_k, and what that does to gradients (J)"});
  const Ui& ui = frame.ui;
  const float full = ImGui::GetContentRegionAvail().x;
  const float start = ImGui::GetCursorPosX();
  mark(frame);
  const std::span<const Tab> all(all_views);
  const float apart = ui.px(8.0F);
  const std::vector<BarCommand> commands = bar_commands(frame);
  const float least_name = ui.px(130.0F);
  const float mark_room = ui.px(28.0F);
  // Where not all fits, the last pages go into a menu; then the name goes, and then the commands into a menu.
  constexpr std::size_t fewest_tabs = 6;
  const float least_tabs = pages_width(frame, all, fewest_tabs);
  const float beside_name = full - least_tabs - apart - least_name;
  const bool has_name = fitting(ui, commands, beside_name).count == commands.size();
  const Fitting buttons =
      fitting(ui, commands, has_name ? beside_name : full - least_tabs - apart - mark_room);
  const float left_of_buttons = full - buttons.width - apart;
  const std::size_t n_tabs = fitting_tabs(frame, all, left_of_buttons - (has_name ? least_name : mark_room));
  float tabs_start = mark_room;
  if (has_name) {
    ImGui::SameLine(0.0F, ui.px(4.0F));
    tabs_start = name_part(frame, left_of_buttons - pages_width(frame, all, n_tabs), least_name);
  }
  ImGui::SameLine(start + tabs_start);
  view_tabs(frame, all, n_tabs);
  ImGui::SameLine(start + full - buttons.width);
  ImGui::Dummy({0.0F, 0.0F});
  commands_part(frame, commands, buttons.count);
}

}  // namespace headscope
