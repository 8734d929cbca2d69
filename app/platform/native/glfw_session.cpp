#include "app/platform/native/glfw_session.h"

#include <GLFW/glfw3.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace headscope {
namespace {

// Types of Xlib, whose functions are looked up at run time. GLFW loads the library if X11 is the window
// system.
using Display = void;
using IoErrorHandler = int (*)(Display*);
using IoErrorExitHandler = void (*)(Display*, void*);

template <class Function>
Function find_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

std::string glfw_reason() {
  const char* description = nullptr;
  if (glfwGetError(&description) == GLFW_NO_ERROR || description == nullptr) return "no reason given";
  return description;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return std::string(name) + (value == nullptr || *value == '\0' ? " is not set" : std::string("=") + value);
}

constexpr const char* without_a_window =
    "Without a window, `headscope render --out figure.png` draws the same figure to a file.";

Error no_display(const std::string& reason) {
  return {Error::Kind::failure,
          "No display could be opened (" + variable("DISPLAY") + ", " + variable("WAYLAND_DISPLAY") + "; " +
              reason + "). Start it from a desktop session, or over ssh with `ssh -X`. " + without_a_window};
}

Error no_opengl(const std::string& reason) {
  return {
      Error::Kind::failure,
      "The display opened, but a window with OpenGL 3.3 did not (" + reason +
          "). Try software rendering: LIBGL_ALWAYS_SOFTWARE=1 headscope. On a remote desktop or a virtual machine, libgl1-mesa-dri must be installed. " +
          without_a_window};
}

/// The size, limited to the monitor's work area.
std::pair<int, int> fitting_size(int width, int height) {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (monitor == nullptr) return {width, height};
  int x = 0;
  int y = 0;
  int room_x = 0;
  int room_y = 0;
  glfwGetMonitorWorkarea(monitor, &x, &y, &room_x, &room_y);
  if (room_x <= 0 || room_y <= 0) return {width, height};
  return {std::min(width, room_x), std::min(height, room_y)};
}

}  // namespace

void DisplayWatch::begin() {
  const auto display = find_function<Display* (*)()>("glfwGetX11Display");
  const auto set_handler = find_function<IoErrorHandler (*)(IoErrorHandler)>("XSetIOErrorHandler");
  const auto set_exit_handler =
      find_function<void (*)(Display*, IoErrorExitHandler, void*)>("XSetIOErrorExitHandler");
  if (display == nullptr) return;
  Display* connection = display();
  is_x11_ = connection != nullptr;
  if (!is_x11_ || set_handler == nullptr || set_exit_handler == nullptr) return;
  set_handler([](Display*) { return 0; });
  // The process stays alive because this exit handler returns. Later calls of Xlib on the connection do
  // nothing.
  set_exit_handler(
      connection, [](Display*, void* watch) { static_cast<DisplayWatch*>(watch)->lost_ = true; }, this);
}

Result<GlfwSession> GlfwSession::open(const std::string& title, PixelSize size, bool fits_the_monitor) {
  glfwSetErrorCallback(nullptr);
  if (glfwInit() == GLFW_FALSE) return tl::unexpected<Error>(no_display(glfw_reason()));
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_FOCUS_ON_SHOW, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "headscope");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headscope");
  const auto [w, h] =
      fits_the_monitor ? fitting_size(size.width, size.height) : std::pair(size.width, size.height);
  GLFWwindow* window = glfwCreateWindow(w, h, title.c_str(), nullptr, nullptr);
  if (window == nullptr) {
    Error error = no_opengl(glfw_reason());
    glfwTerminate();
    return tl::unexpected<Error>(std::move(error));
  }
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  return GlfwSession(window);
}

GlfwSession::GlfwSession(GlfwSession&& other) noexcept : window_(std::exchange(other.window_, nullptr)) {}

void GlfwSession::set_icons(const std::vector<Image>& icons) {
  static_assert(sizeof(Color) == 4, "a Color is one RGBA pixel of an icon");
  std::vector<GLFWimage> images;
  for (const Image& icon : icons) {
    // GLFW copies the pixels, although its type is not const.
    auto* pixels = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(icon.pixels.data()));
    images.push_back({icon.width, icon.height, pixels});
  }
  if (!images.empty()) glfwSetWindowIcon(window_, static_cast<int>(images.size()), images.data());
}

GlfwSession::~GlfwSession() {
  if (window_ == nullptr) return;
  glfwDestroyWindow(window_);
  glfwTerminate();
}

}  // namespace headscope
