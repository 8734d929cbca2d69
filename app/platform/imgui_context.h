#pragma once

#include "app/imgui/imgui_compat.h"
#include "app/platform/widget_characters.h"

namespace headscope {

/// An ImGui context with this program's settings: keyboard navigation, a caret that does not blink (an idle
/// window draws nothing), no files of its own.
class ImGuiContextOwner {
 public:
  ImGuiContextOwner();
  ~ImGuiContextOwner();
  ImGuiContextOwner(const ImGuiContextOwner&) = delete;
  ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;

 private:
  WidgetCharacters characters_;  ///< the context's, by WidgetCharacters::current()
  ImGuiContext* context_;
};

/// Before each frame: the arrows move ImGui's own focus only while Alt is up, because Alt and an arrow are a
/// command of the program, which lasts until the arrow is released.
void update_navigation(ImGuiIO& io);

}  // namespace headscope
