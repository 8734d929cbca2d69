#include "app/views/top_bar.h"

#include <algorithm>
#include <array>
#include <span>

#include "app/widgets/controls.h"
#include "app/widgets/tabs.h"
#include "app/widgets/text.h"

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

void view_tabs(Frame& frame, std::span<const Tab> views, float width) {
  int view = static_cast<int>(frame.session.selection.view);
  if (tabs(frame.ui, "views", views, view, width)) frame.emit(SetView{static_cast<View>(view)});
}

/// A quiet button that stays in the accent colour while what it stands for is on.
void command_button(Frame& frame, const char* label, const char* tooltip, CommandId command,
                    bool on = false) {
  ImGui::SameLine(0.0F, frame.ui.px(4.0F));
  if (button(frame.ui, label, tooltip, "", on ? ButtonLook::primary : ButtonLook::quiet)) frame.emit(command);
}

}  // namespace

std::string architecture_in_words(const Architecture& a) {
  const char* stacks = a.has_cross()                 ? "encoder–decoder"
                       : a.stacks == Stacks::encoder ? "encoder"
                                                     : "decoder";
  const std::string layers = (a.has_cross() ? std::to_string(a.n_layers) + " + " : std::string()) +
                             std::to_string(a.n_layers) + (a.n_layers == 1 ? " layer" : " layers");
  std::string words = std::string(stacks) + " · " + layers + " × " + std::to_string(a.n_heads) +
                      (a.n_heads == 1 ? " head" : " heads") + " · d_model " + std::to_string(a.d_model);
  if (!validate(a)) return words;  // the heads do not divide d_model: there is no d_head
  words += " · d_head " + std::to_string(a.head_width());
  if (a.value_width() != a.head_width()) words += " · d_value " + std::to_string(a.value_width());
  return words;
}

void top_bar(Frame& frame) {
  static const std::array<Tab, 8> views{
      {{"Explore", "", "A sentence, its lines, one stage large (Ctrl+1)"},
       {"Stages", "", "Every stage of one head on one page (Ctrl+2)"},
       {"Heads", "", "One stage of all heads side by side (Ctrl+3)"},
       {"Model", "", "The architecture as a diagram to move around in (Ctrl+4)"},
       {"Positions", "", "How the model knows the order of the words (Ctrl+5)"},
       {"Words", "", "Logits, probabilities and the next word (Ctrl+6)"},
       {"Split", "", "How a token's row is split into heads (Ctrl+7)"},
       {"Train", "", "Watch the model learn (Ctrl+8)"}}};
  const Ui& ui = frame.ui;
  const float full = ImGui::GetContentRegionAvail().x;
  const float start = ImGui::GetCursorPosX();
  mark(frame);
  ImGui::SameLine(0.0F, ui.px(4.0F));
  const float tabs_room = tabs_width(frame.ui, views);
  const float buttons = ui.px(370.0F);
  const float name_room = ui.px(130.0F);
  // The words of the architecture stand where they leave the tabs their room.
  const float middle = full - buttons - tabs_room - ui.px(24.0F);
  const float left_of_tabs = ui.px(460.0F);
  const std::string words = middle > left_of_tabs ? architecture_in_words(frame.session.architecture) : "";
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ui.px(4.0F));
  text_line(frame.ui,
            {{"Headscope", Font::sans_bold, text_size::title, ui.theme().text},
             {words, Font::sans, text_size::small, ui.theme().quiet}},
            16.0F);
  const float tabs_start = middle > left_of_tabs ? middle : name_room;
  ImGui::SameLine(start + tabs_start);
  view_tabs(frame, views, std::min(tabs_room, full - buttons - tabs_start - ui.px(8.0F)));

  ImGui::SameLine(start + full - buttons);
  ImGui::Dummy({0.0F, 0.0F});
  command_button(frame, "Undo", "Take back the last change (Ctrl+Z)", CommandId::undo);
  command_button(frame, "Redo", "Do it again (Ctrl+Shift+Z)", CommandId::redo);
  command_button(frame, "Difference", "Show what the last change changed (Shift+D; hold D to peek)",
                 CommandId::toggle_difference, frame.screen.difference);
  command_button(frame, frame.session.picture.theme == ThemeName::light ? "Dark" : "Light",
                 "Light or dark (Ctrl+T)", CommandId::toggle_theme);
  command_button(frame, "Export", "Save the picture, the window or the numbers (Ctrl+E)",
                 CommandId::export_sheet);
  command_button(frame, "?", "Keys and help (F1)", CommandId::help);
}

}  // namespace headscope
