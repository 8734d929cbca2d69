#pragma once

#include <string>
#include <vector>

#include "app/platform/window.h"
#include "core/result.h"

struct GLFWwindow;

namespace headscope {

/// GLFW started and one hidden window with a current OpenGL 3.3 core context; ends both.
class GlfwSession {
 public:
  /// The error says what was tried and what to do.
  /// `fits_the_monitor`: the size is cut to the room that the desktop leaves.
  static Result<GlfwSession> open(const std::string& title, PixelSize size, bool fits_the_monitor);
  GlfwSession(GlfwSession&& other) noexcept;
  GlfwSession& operator=(GlfwSession&&) = delete;
  ~GlfwSession();

  GLFWwindow* window() const { return window_; }
  /// The icons of the window for the window system, in several sizes; may be empty.
  void set_icons(const std::vector<Image>& icons);
  /// Leaves GLFW as it is: its calls would need the lost display.
  void abandon() { window_ = nullptr; }

 private:
  explicit GlfwSession(GLFWwindow* window) : window_(window) {}
  GLFWwindow* window_;
};

}  // namespace headscope
