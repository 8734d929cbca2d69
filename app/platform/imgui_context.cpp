#include "app/platform/imgui_context.h"

#include <new>

#include "app/imgui/keys.h"

namespace headscope {
namespace {

/// Creates a context whose failed allocations throw an exception, as everywhere else. ImGui does not check
/// the memory it is given.
ImGuiContext* context_with_checked_memory() {
  ImGui::SetAllocatorFunctions([](std::size_t bytes, void*) { return ::operator new(bytes); },
                               [](void* memory, void*) { ::operator delete(memory); });
  return ImGui::CreateContext();
}

}  // namespace

ImGuiContextOwner::ImGuiContextOwner() : context_(context_with_checked_memory()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.UserData = &characters_;
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink = false;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  set_up_input(io);
}

void update_navigation(ImGuiIO& io) {
  const bool was_off = (io.ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) == 0;
  const bool arrow_held =
      is_key_down(Key::left) || is_key_down(Key::right) || is_key_down(Key::up) || is_key_down(Key::down);
  if (io.KeyAlt || (was_off && arrow_held)) {
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  } else {
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  }
}

ImGuiContextOwner::~ImGuiContextOwner() {
  ImGui::DestroyContext(context_);
}

}  // namespace headscope
