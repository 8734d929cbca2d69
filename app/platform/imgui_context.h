#pragma once

#include "app/imgui/imgui_compat.h"
#include "app/platform/widget_characters.h"

namespace headscope {

/// An ImGui context with the settings of this program: keyboard navigation, a caret that does not blink (so
/// that an idle window draws nothing), and no files.
class ImGuiContextOwner {
 public:
  ImGuiContextOwner();
  ~ImGuiContextOwner();
  ImGuiContextOwner(const ImGuiContextOwner&) = delete;
  ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;

 private:
  WidgetCharacters characters_;  ///< the characters that WidgetCharacters::current() returns
  ImGuiContext* context_;
};

/// Call this before each frame. It lets the arrow keys move ImGui's focus only while Alt is up, because Alt
/// and an arrow are a command of the program until the arrow is released.
void update_navigation(ImGuiIO& io);

}  // namespace headscope
