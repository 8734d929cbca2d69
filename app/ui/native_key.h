#pragma once

#include "app/ui/imgui_compat.h"
#include "app/ui/keys.h"

namespace headscope {

/// What this version of ImGui takes for a key: GLFW's code before 1.87, ImGuiKey from then on.
#if IMGUI_VERSION_NUM >= 18700
ImGuiKey native_key(Key key);
#else
inline int native_key(Key key) {
  return static_cast<int>(key);
}
/// Tells ImGui which of those codes it edits text and navigates with. The GLFW backend does the same.
void map_native_keys(ImGuiIO& io);
#endif

}  // namespace headscope
