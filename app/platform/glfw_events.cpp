#include "app/platform/glfw_events.h"

#include <GLFW/glfw3.h>

#include <cfloat>

namespace headscope {
namespace {

/// The key according to its label, so that Ctrl+Z is the key labelled Z on every keyboard layout.
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
    case GLFW_KEY_RIGHT_SUPER:
      return Key::left_super;
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
  glfwSetWindowFocusCallback(
      window, [](GLFWwindow* w, int focused) { of(w).push(FocusChanged{focused != GLFW_FALSE}); });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
    of(w).note();
    if (entered == GLFW_FALSE) of(w).push(MouseMoved{-FLT_MAX, -FLT_MAX});
  });
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
    of(w).push(MouseMoved{static_cast<float>(x), static_cast<float>(y)});
  });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int) {
    of(w).push(MouseButtonChanged{button, action == GLFW_PRESS, glfwGetTime()});
  });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double dx, double dy) {
    of(w).push(WheelTurned{static_cast<float>(dx), static_cast<float>(dy)});
  });
  glfwSetKeyCallback(window, key_changed);
  glfwSetCharCallback(window,
                      [](GLFWwindow* w, unsigned code_point) { of(w).push(CharacterTyped{code_point}); });
}

void GlfwEvents::key_changed(GLFWwindow* window, int key, int scancode, int action, int) {
  of(window).note();
  if (action == GLFW_REPEAT || key < 0) return;  // ImGui repeats held keys itself
  of(window).push(KeyChanged{modifier_of_either_side(printed_key(key, scancode)), action == GLFW_PRESS});
}

void GlfwEvents::push(InputEvent event) {
  note();
  queue_.push(event);
}

void GlfwEvents::files_dropped(GLFWwindow* window, int count, const char** paths) {
  of(window).note();
  for (int i = 0; i < count; ++i) of(window).dropped_.emplace_back(paths[i]);
}

}  // namespace headscope
