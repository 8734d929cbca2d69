#include "app/platform/glfw_events.h"

#include <GLFW/glfw3.h>

namespace headscope {
namespace {

/// The key by what is printed on it, so that Ctrl+Z is the key that says Z on every layout.
int printed_key(int key, int scancode) {
  if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL) return key;
  const char* name = glfwGetKeyName(key, scancode);
  if (name == nullptr || name[0] == '\0' || name[1] != '\0') return key;
  if (name[0] >= 'a' && name[0] <= 'z') return name[0] - 'a' + GLFW_KEY_A;
  if (name[0] >= '0' && name[0] <= '9') return name[0];
  if (name[0] == '+') return GLFW_KEY_EQUAL;
  for (const char symbol : {',', '.', '-', '/', '\'', ';', '=', '[', ']'}) {
    if (name[0] == symbol) return symbol;
  }
  return key;
}

Key modifier_of_either_side(int key) {
  switch (key) {
    case GLFW_KEY_RIGHT_CONTROL:
      return Key::left_control;
    case GLFW_KEY_RIGHT_SHIFT:
      return Key::left_shift;
    case GLFW_KEY_RIGHT_ALT:
      return Key::left_alt;
    default:
      return static_cast<Key>(key);
  }
}

}  // namespace

GlfwEvents& GlfwEvents::of(GLFWwindow* window) {
  return *static_cast<GlfwEvents*>(glfwGetWindowUserPointer(window));
}

void GlfwEvents::listen(GLFWwindow* window) {
  glfwSetWindowUserPointer(window, this);
  glfwSetDropCallback(window, files_dropped);
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { of(w).note(); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { of(w).note(); });
  glfwSetWindowCloseCallback(window, [](GLFWwindow* w) { of(w).note(); });
  glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int) { of(w).note(); });
  glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { of(w).note(); });
  listen_to_input(window);
}

void GlfwEvents::listen_to_input(GLFWwindow* window) {
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
    of(w).note();
    if (imgui_queues_input) return;
    if (focused == GLFW_FALSE) of(w).queue_.release_all();
    ImGui::GetIO().AddFocusEvent(focused != GLFW_FALSE);
  });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
    of(w).note();
    constexpr float nowhere = -3.4e38F;
    if (!imgui_queues_input && entered == GLFW_FALSE) of(w).queue_.push(MouseMoved{nowhere, nowhere});
  });
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
    of(w).note();
    if (imgui_queues_input) return;
    of(w).queue_.push(MouseMoved{static_cast<float>(x), static_cast<float>(y)});
  });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int) {
    of(w).note();
    if (!imgui_queues_input) of(w).queue_.push(MouseButtonChanged{button, action == GLFW_PRESS});
  });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double dx, double dy) {
    of(w).note();
    if (imgui_queues_input) return;
    of(w).queue_.push(WheelTurned{static_cast<float>(dx), static_cast<float>(dy)});
  });
  glfwSetKeyCallback(window, key_changed);
  glfwSetCharCallback(window, [](GLFWwindow* w, unsigned code_point) {
    of(w).note();
    if (!imgui_queues_input) of(w).queue_.push(CharacterTyped{code_point});
  });
}

void GlfwEvents::key_changed(GLFWwindow* window, int key, int scancode, int action, int) {
  of(window).note();
  if (imgui_queues_input || action == GLFW_REPEAT || key < 0)
    return;  // ImGui repeats held keys by its own clock
  of(window).queue_.push(
      KeyChanged{modifier_of_either_side(printed_key(key, scancode)), action == GLFW_PRESS});
}

void GlfwEvents::files_dropped(GLFWwindow* window, int count, const char** paths) {
  of(window).note();
  for (int i = 0; i < count; ++i) of(window).dropped_.emplace_back(paths[i]);
}

void GlfwEvents::apply(ImGuiIO& io) {
  if (!imgui_queues_input) queue_.apply(io);
}

}  // namespace headscope
