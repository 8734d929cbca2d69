#pragma once

#include "app/imgui/imgui_compat.h"
#include "app/imgui/keys.h"

namespace headscope {

/// ImGui's value for this key.
NativeKey native_key(Key key);
/// Before 1.87, tells ImGui which keys it edits text and navigates with, as the GLFW backend does. Later
/// versions know.
void map_native_keys(ImGuiIO& io);

}  // namespace headscope
