#include "app/imgui/field_scroll.h"

#include <imgui.h>
#include <imgui_internal.h>

namespace headscope {

float scroll_of_active_field() {
  // The member has different names in different versions of ImGui.
  const auto scroll_of = [](const auto& state) -> float {
    if constexpr (requires { state.ScrollX; }) {
      return state.ScrollX;
    } else {
      return state.Scroll.x;
    }
  };
  const auto* state = ImGui::GetInputTextState(ImGui::GetActiveID());
  return state == nullptr ? 0.0F : scroll_of(*state);
}

}  // namespace headscope
