#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/platform/input_queue.h"

struct GLFWwindow;

namespace headscope {

/// Receives the events of a GLFW window: it notes that something happened, keeps dropped files, and passes
/// the input to ImGui. ImGui's GLFW backend installs no callbacks, so every version receives input in the
/// same way. The window's user pointer refers to this object, which must not move.
class GlfwEvents {
 public:
  GlfwEvents() = default;
  GlfwEvents(const GlfwEvents&) = delete;
  GlfwEvents& operator=(const GlfwEvents&) = delete;

  void listen(GLFWwindow* window);

  void note() { happened_ = true; }
  bool happened() const { return happened_; }
  bool take_happened() { return std::exchange(happened_, false); }
  std::vector<std::string> take_dropped_files() { return std::exchange(dropped_, {}); }
  bool pending() const { return !queue_.empty(); }
  /// Call this between NewFrame of the backend and NewFrame of ImGui.
  void apply(ImGuiIO& io) { queue_.apply(io); }
  void hold_keys() { queue_.hold_keys(); }

 private:
  static GlfwEvents& of(GLFWwindow* window);
  static void listen_to_input(GLFWwindow* window);
  static void key_changed(GLFWwindow* window, int key, int scancode, int action, int modifiers);
  static void files_dropped(GLFWwindow* window, int count, const char** paths);
  void push(InputEvent event);

  InputQueue queue_;
  std::vector<std::string> dropped_;
  bool happened_ = true;
};

}  // namespace headscope
