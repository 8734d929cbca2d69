#include "app/platform/imgui_context.h"

namespace headscope {

ImGuiContextOwner::ImGuiContextOwner() : context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink = false;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
}

void update_navigation(ImGuiIO& io) {
  if (io.KeyAlt) {
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  } else {
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  }
}

ImGuiContextOwner::~ImGuiContextOwner() {
  ImGui::DestroyContext(context_);
}

}  // namespace headscope
