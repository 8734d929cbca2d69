#include "app/widgets/find_field.h"

#include "app/imgui/native_key.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"

namespace headscope {

bool find_field(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip) {
  constexpr std::size_t most_bytes = 200;
  const float height = ui.px(28);
  const bool has_text = !text.empty();
  const float end = has_text ? ui.px(32) : 0.0F;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - end);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(10), (height - ImGui::GetFontSize()) / 2.0F));
  bool changed = text_input(ui, id, text, {.hint = hint, .most_bytes = most_bytes});
  ImGui::PopStyleVar();
  const bool is_left = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(native_key(Key::escape), false);
  tooltip_for_item(ui, tooltip);
  bool empties = is_left;
  if (has_text) {
    ImGui::SameLine(0.0F, ui.px(4));
    empties = button(ui, "×", "Clear the field (Esc)", "", ButtonLook::quiet, ui.px(28)) || empties;
  }
  if (empties && !text.empty()) {
    text.clear();
    changed = true;
    ui.wake_in(0.0);
  }
  return changed;
}

}  // namespace headscope
