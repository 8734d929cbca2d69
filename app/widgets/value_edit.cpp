#include "app/widgets/value_edit.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/imgui/keys.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"

namespace headscope {
namespace {

/// The field itself. Returns false when the edit is over.
bool edit(Ui& ui, const char* id, std::string& text, const ValueBox& box, bool take_focus) {
  constexpr std::size_t most_bytes = 63;  // more than any number needs
  const float width =
      std::max(ui.px(72), paint::text_width(ui, text, Font::mono, text_size::mono) + ui.px(16));
  ImGui::SetCursorScreenPos(ImVec2(box.right_top.x - width, box.right_top.y));
  ImGui::SetNextItemWidth(width);
  const FontScope font(ui, Font::mono, text_size::mono);
  const float padding = std::max(0.0F, (box.height - ImGui::GetFontSize()) / 2.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(6), padding));
  if (take_focus) ui.give_keyboard_to_next_item();
  text_input(ui, id, text, {.selects_all = true, .most_bytes = most_bytes});
  ImGui::PopStyleVar();
  return !ImGui::IsItemDeactivated();
}

/// The number at rest. Returns true if it is to be edited.
bool rest(Ui& ui, const char* id, const std::string& shown, const ValueBox& box, const char* tooltip) {
  const float margin = ui.px(box.is_field ? 6.0F : 4.0F);
  const float needed = paint::text_width(ui, shown, Font::mono, text_size::mono) + 2.0F * margin;
  const float width = box.is_field ? std::max(needed, ui.px(48)) : needed;
  const float beyond = box.is_field ? 0.0F : margin;  // numbers that stand alone end where their box ends
  const ImVec2 corner(box.right_top.x - width + beyond, box.right_top.y);
  ImGui::SetCursorScreenPos(corner);
  const bool clicked = invisible_button(id, ImVec2(width, box.height));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool is_hovered = ImGui::IsItemHovered();
  const ImVec2 end(corner.x + width, corner.y + box.height);
  if (is_hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  if (is_hovered || box.is_field) list.AddRectFilled(corner, end, paint::ink(ui.theme().control), ui.px(4));
  if (box.is_field) list.AddRect(corner, end, paint::ink(ui.theme().line), ui.px(4));
  paint::focus_ring(ui, list, ui.px(4));
  paint::text(ui, list, end.x - margin, corner.y + box.height / 2.0F, shown, Font::mono, text_size::mono,
              ui.theme().text, paint::Align::right);
  tooltip_for_item(ui, tooltip);
  return clicked;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::optional<std::string> value_edit(Ui& ui, const char* id, const std::string& number, const ValueBox& box,
                                      bool open, const char* tooltip) {
  const std::string shown = replaced(number, "-", "−");
  const ImGuiID key = ImGui::GetID(id);
  const auto editing = ui.field_texts.find(key);
  if (editing == ui.field_texts.end()) {
    if (rest(ui, id, shown, box, tooltip) || open) {
      ui.field_texts[key] = shown;
      ImGui::GetStateStorage()->SetBool(key, true);
      ui.wake_in(0.0);
    }
    return std::nullopt;
  }
  const bool first_frame = ImGui::GetStateStorage()->GetBool(key);
  ImGui::GetStateStorage()->SetBool(key, false);
  if (edit(ui, id, editing->second, box, first_frame)) return std::nullopt;
  std::string typed = std::exchange(ui.field_texts[key], {});
  ui.field_texts.erase(key);
  if (ImGui::IsKeyPressed(native_key(Key::escape), false)) return std::nullopt;
  return replaced(std::move(typed), "−", "-");
}

}  // namespace headscope
