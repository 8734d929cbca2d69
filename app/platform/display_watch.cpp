#include "app/platform/display_watch.h"

#include <GLFW/glfw3.h>
#include <dlfcn.h>

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

}  // namespace

void DisplayWatch::begin() {
  const auto display = find_function<Display* (*)()>("glfwGetX11Display");
  const auto set_handler = find_function<IoErrorHandler (*)(IoErrorHandler)>("XSetIOErrorHandler");
  const auto set_exit_handler =
      find_function<void (*)(Display*, IoErrorExitHandler, void*)>("XSetIOErrorExitHandler");
  if (display == nullptr || set_handler == nullptr || set_exit_handler == nullptr) return;
  Display* connection = display();
  if (connection == nullptr) return;
  set_handler([](Display*) { return 0; });
  // The process stays alive because this exit handler returns. Later calls of Xlib on the connection do
  // nothing.
  set_exit_handler(
      connection, [](Display*, void* watch) { static_cast<DisplayWatch*>(watch)->lost_ = true; }, this);
}

}  // namespace headscope
