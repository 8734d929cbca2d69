#include "app/imgui/open_menu.h"

#include <imgui_internal.h>

#include <string_view>

namespace headscope {
namespace {

/// There is one opener in each window of the program, and one window.
ImRect& opener() {
  static ImRect rect;
  return rect;
}

}  // namespace

void record_popup_opener(ImVec2 min, ImVec2 max) {
  opener() = ImRect(min, max);
}

bool dismiss_popup_outside(ImVec2 press) {
  const ImGuiContext* context = ImGui::GetCurrentContext();
  if (context == nullptr || context->OpenPopupStack.Size == 0) return false;
  for (const ImGuiPopupData& popup : context->OpenPopupStack) {
    if (popup.Window == nullptr || popup.Window->Rect().Contains(press)) return false;
  }
  // A press beside a list that belongs to a sheet closes only the list, not the sheet as well.
  const ImGuiWindow* source = context->OpenPopupStack[0].Window->ParentWindow;
  const bool is_of_window = source != nullptr && source->RootWindow != nullptr &&
                            std::string_view(source->RootWindow->Name) == "##ground";
  if (!is_of_window || opener().Contains(press)) return false;
  constexpr bool restore_focus = true;
  ImGui::ClosePopupToLevel(0, restore_focus);
  return true;
}

void ignore_menu_key() {
  ImGui::GetCurrentContext()->NavWindowingToggleLayer = false;
}

}  // namespace headscope
