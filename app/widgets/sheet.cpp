#include "app/widgets/sheet.h"

#include <algorithm>

#include "app/imgui/keys.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"

namespace headscope {

namespace {

/// A cross in the margin of the sheet, so that it covers none of its contents.
bool closing_cross(Ui& ui, ImVec2 corner) {
  const float side = ui.px(22);
  ImGui::SetCursorScreenPos(corner);
  const bool clicked = invisible_button("close this sheet", {side, side});
  const bool is_hovered = ImGui::IsItemHovered();
  const ImVec2 middle(corner.x + side / 2.0F, corner.y + side / 2.0F);
  const float arm = ui.px(4);
  const ImU32 ink = packed(is_hovered ? ui.theme().text : ui.theme().quiet);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  paint::cross(list, middle, arm, ink, ui.px(1.4F));
  paint::focus_ring(ui, list, ui.px(4));
  tooltip_for_item(ui, "Close (Esc)");
  return clicked;
}

}  // namespace

Sheet::Sheet(Ui& ui, const char* id, bool& open, float width, float height)
    : ui_(ui), open_(open), height_id_(0), popup_id_(0) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(0.0F, 0.0F));
  ImGui::SetNextWindowSize(display);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImVec4(0.0F, 0.0F, 0.0F, 0.4F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  height_id_ = ImGui::GetID("height");
  popup_id_ = ImGui::GetID("popup");
  constexpr float first_guess = 320.0F;
  const float content_height =
      height > 0.0F ? ui.px(height) : ImGui::GetStateStorage()->GetFloat(height_id_, ui.px(first_guess));
  const float margin = ui.px(32);
  // In a window narrower than this, the sheet's sides lie outside. A text field needs some width to be drawn.
  const ImVec2 least(ui.px(160), ui.px(80));
  const ImVec2 size(std::max(std::min(ui.px(width), display.x - margin), least.x),
                    std::max(std::min(content_height, display.y - margin), least.y));
  const ImVec2 min((display.x - size.x) / 2.0F, (display.y - size.y) / 2.0F);
  const ImVec2 max(min.x + size.x, min.y + size.y);
  const bool beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowAppearing() &&
                      ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows) &&
                      !ImGui::IsMouseHoveringRect(min, max, false);
  // The same press has closed an open list, such as that of a menu in the sheet.
  const bool closes_list = ImGui::GetStateStorage()->GetBool(popup_id_);
  if (!closes_list && (beside || chord_pressed({Key::escape}))) open = false;
  ImGui::SetCursorScreenPos(min);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_vec4(ui.theme().panel));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(24), ui.px(20)));
  begin_child("panel", size, true, ImGuiWindowFlags_None);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

Sheet::~Sheet() {
  const float contents = ImGui::GetCursorPosY() + ui_.px(20) - ImGui::GetStyle().ItemSpacing.y;
  // The cross is drawn last, so that the keyboard focus begins with the contents.
  const ImVec2 corner = ImGui::GetWindowPos();
  if (closing_cross(ui_, {corner.x + ImGui::GetWindowWidth() - ui_.px(42), corner.y})) open_ = false;
  end_child();
  ImGui::GetStateStorage()->SetFloat(height_id_, contents);
  const bool has_list = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  ImGui::GetStateStorage()->SetBool(popup_id_, has_list);
  end_window();
}

bool Sheet::confirmed() const {
  return chord_pressed({Key::enter});
}

}  // namespace headscope
