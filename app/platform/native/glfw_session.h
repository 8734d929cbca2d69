#pragma once

#include <string>
#include <vector>

#include "app/platform/window.h"
#include "core/result.h"

struct GLFWwindow;

namespace headscope {

/// Detects a broken connection to the X server, on which Xlib would end the process.
class DisplayWatch {
 public:
  DisplayWatch() = default;
  DisplayWatch(const DisplayWatch&) = delete;
  DisplayWatch& operator=(const DisplayWatch&) = delete;

  /// Call this after the window has been created. Does nothing on other window systems.
  void begin();
  bool lost() const { return lost_; }
  bool is_x11() const { return is_x11_; }

 private:
  bool lost_ = false;
  bool is_x11_ = false;
};

/// Owns GLFW and one hidden window with a current OpenGL 3.3 core context, and ends both.
class GlfwSession {
 public:
  /// Starts GLFW and creates the window. With `fits_the_monitor`, the size is limited to the monitor's work
  /// area. The error says what was tried and what to do.
  static Result<GlfwSession> open(const std::string& title, PixelSize size, bool fits_the_monitor);
  GlfwSession(GlfwSession&& other) noexcept;
  GlfwSession& operator=(GlfwSession&&) = delete;
  ~GlfwSession();

  GLFWwindow* window() const { return window_; }
  /// Sets the window's icons, in several sizes. The list may be empty.
  void set_icons(const std::vector<Image>& icons);
  /// Skips the termination of GLFW, which would need the lost display.
  void abandon() { window_ = nullptr; }

 private:
  explicit GlfwSession(GLFWwindow* window) : window_(window) {}
  GLFWwindow* window_;
};

}  // namespace headscope
