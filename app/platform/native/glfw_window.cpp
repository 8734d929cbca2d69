#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cfloat>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/platform/clipboard.h"
#include "app/platform/gl_drawing.h"
#include "app/platform/imgui_context.h"
#include "app/platform/window.h"
#include "core/result.h"

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

/// Detects a broken connection to the X server, on which Xlib would end the process.
class DisplayWatch {
 public:
  DisplayWatch() = default;
  DisplayWatch(const DisplayWatch&) = delete;
  DisplayWatch& operator=(const DisplayWatch&) = delete;

  /// Call this after the window has been created. Does nothing on other window systems.
  void begin() {
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

  bool lost() const { return lost_; }
  bool is_x11() const { return is_x11_; }

 private:
  bool lost_ = false;
  bool is_x11_ = false;
};

/// One hidden window with a current OpenGL 3.3 core context. Ends GLFW with the window.
using GlfwHandle = std::unique_ptr<GLFWwindow, void (*)(GLFWwindow*)>;

/// Starts GLFW and creates the window. With `fits_the_monitor`, the size is limited to the monitor's work
/// area. The error says what was tried and what to do.
Result<GlfwHandle> open_hidden_window(const std::string& title, PixelSize size, bool fits_the_monitor) {
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
  return GlfwHandle(window, [](GLFWwindow* closed) {
    glfwDestroyWindow(closed);
    glfwTerminate();
  });
}

/// Sets the window's icons, in several sizes. The list may be empty.
void set_icons(GLFWwindow* window, const std::vector<Image>& icons) {
  static_assert(sizeof(Color) == 4, "a Color is one RGBA pixel of an icon");
  std::vector<GLFWimage> images;
  for (const Image& icon : icons) {
    // GLFW copies the pixels, although its type is not const.
    auto* pixels = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(icon.pixels.data()));
    images.push_back({icon.width, icon.height, pixels});
  }
  if (!images.empty()) glfwSetWindowIcon(window, static_cast<int>(images.size()), images.data());
}

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

/// Receives the events of a GLFW window: it notes that something happened, keeps dropped files, and passes
/// the input to ImGui. ImGui's GLFW backend installs no callbacks, so every version receives input in the
/// same way. The window's user pointer refers to this object, which must not move.
class GlfwEvents {
 public:
  GlfwEvents() = default;
  GlfwEvents(const GlfwEvents&) = delete;
  GlfwEvents& operator=(const GlfwEvents&) = delete;

  void listen(GLFWwindow* window) {
    glfwSetWindowUserPointer(window, this);
    glfwSetDropCallback(window, files_dropped);
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { of(w).note(); });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { of(w).note(); });
    glfwSetWindowCloseCallback(window, [](GLFWwindow* w) { of(w).note(); });
    glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int) { of(w).note(); });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { of(w).note(); });
    listen_to_input(window);
  }

  void note() { happened_ = true; }
  bool happened() const { return happened_; }
  bool clear_happened() { return std::exchange(happened_, false); }
  std::vector<std::string> take_dropped_files() { return std::exchange(dropped_, {}); }
  bool pending() const { return !queue_.empty(); }
  /// Call this between NewFrame of the backend and NewFrame of ImGui.
  void apply(ImGuiIO& io) { queue_.apply(io); }
  void hold_keys() { queue_.hold_keys(); }

 private:
  static GlfwEvents& of(GLFWwindow* window) {
    return *static_cast<GlfwEvents*>(glfwGetWindowUserPointer(window));
  }

  static void listen_to_input(GLFWwindow* window) {
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

  static void key_changed(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    of(window).note();
    if (action == GLFW_REPEAT || key < 0) return;  // ImGui repeats held keys itself
    const Key pressed = modifier_of_either_side(printed_key(key, scancode));
    // The right Alt may be AltGr, which selects characters and is no modifier of a chord.
    bool& alt_is_down = of(window).alt_is_down_;
    const bool lacks_alt = pressed < Key::left_shift && (modifiers & GLFW_MOD_ALT) == 0;
    if (lacks_alt && std::exchange(alt_is_down, false)) of(window).push(KeyChanged{Key::left_alt, false});
    if (pressed == Key::left_alt) alt_is_down = action == GLFW_PRESS;
    of(window).push(KeyChanged{pressed, action == GLFW_PRESS});
  }

  static void files_dropped(GLFWwindow* window, int count, const char** paths) {
    of(window).note();
    for (int i = 0; i < count; ++i) of(window).dropped_.emplace_back(paths[i]);
  }

  void push(InputEvent event) {
    note();
    queue_.push(event);
  }

  InputQueue queue_;
  std::vector<std::string> dropped_;
  bool happened_ = true;
  bool alt_is_down_ = false;
};

class GlfwClipboard : public Clipboard {
 public:
  GlfwClipboard(GLFWwindow* window, const DisplayWatch& watch) : window_(window), watch_(watch) {}
  Result<std::string> get() const override {
    if (watch_.is_x11()) return read_x11_clipboard(glfwPollEvents);
    const char* text = glfwGetClipboardString(window_);
    return text == nullptr ? std::string() : std::string(text);
  }
  void set(const std::string& text) override { glfwSetClipboardString(window_, text.c_str()); }

 private:
  GLFWwindow* window_;
  const DisplayWatch& watch_;
};

class GlfwWindow final : public Window {
 public:
  GlfwWindow(GlfwHandle handle, bool shows_frames);
  ~GlfwWindow() override;
  /// Returns false if ImGui's renderer does not work with this OpenGL.
  bool start() {
    events_.listen(window());
    started_ = ImGui_ImplGlfw_InitForOpenGL(window(), false);  // ImGui's backend installs no callbacks
    if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
      ImGui_ImplGlfw_Shutdown();
      started_ = false;
      return false;
    }
    clipboard_.install();
    return true;
  }

  bool wait_events(double seconds) override {
    if (seconds > 0.0 && !woken_ && !events_.pending()) {
      // Limit the wait: if the display goes away, GLFW spins in it forever.
      constexpr double longest = 0.5;
      const double end = glfwGetTime() + seconds;
      for (double left = seconds; left > 0.0 && !woken_ && !watch_.lost() && !events_.happened();
           left = end - glfwGetTime()) {
        glfwWaitEventsTimeout(std::min(left, longest));
      }
    } else {
      glfwPollEvents();
    }
    const bool woken = woken_.exchange(false);
    return events_.clear_happened() || woken;
  }
  void begin_frame() override {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    // A display that has just been lost may report a negative size, which ImGui does not accept.
    ImVec2& size = ImGui::GetIO().DisplaySize;
    size = {std::max(size.x, 0.0F), std::max(size.y, 0.0F)};
    events_.apply(ImGui::GetIO());
    update_navigation(ImGui::GetIO());
    ImGui::NewFrame();
  }
  void end_frame() override {
    ImGui::Render();
    if (watch_.lost()) return;
    if (shows_frames_) {
      draw_with_gl(framebuffer_size());
      glfwSwapBuffers(window());
    }
    if (!std::exchange(shown_, true)) {
      glfwShowWindow(window());
      events_.note();
    }
  }
  bool has_pending_input() const override { return events_.pending(); }
  void hold_keys() override { events_.hold_keys(); }
  bool should_close() const override { return watch_.lost() || glfwWindowShouldClose(window()) != 0; }
  std::string loss() const override {
    return watch_.lost() ? "The connection to the display was lost, so the window had to close." : "";
  }
  PixelSize framebuffer_size() const override {
    PixelSize size;
    glfwGetFramebufferSize(window(), &size.width, &size.height);
    return size;
  }
  float content_scale() const override {
    float x = 1.0F;
    float y = 1.0F;
    glfwGetWindowContentScale(window(), &x, &y);
    int width = 0;
    int height = 0;
    glfwGetWindowSize(window(), &width, &height);
    // If the window system itself scales (macOS, Wayland), ImGui's units are already scaled.
    const PixelSize pixels = framebuffer_size();
    const float scaled_by_system =
        width > 0 ? static_cast<float>(pixels.width) / static_cast<float>(width) : 1.0F;
    return std::max(1.0F, std::max(x, y) / scaled_by_system);
  }
  void wake() override {
    woken_ = true;
    glfwPostEmptyEvent();
  }
  Result<Image> read_pixels() override {
    if (watch_.lost()) return failure(loss());
    const PixelSize size = framebuffer_size();
    if (size.width <= 0 || size.height <= 0)
      return failure("the window is minimized, so there are no pixels to read");
    if (ImGui::GetDrawData() == nullptr) return failure("the window has not drawn anything yet");
    // The content of the back buffer is undefined after the swap, so the frame is drawn once more.
    draw_with_gl(size);
    return read_framebuffer(size);
  }
  std::vector<std::string> take_dropped_files() override { return events_.take_dropped_files(); }
  Result<void> copy_picture(const std::string& png) override { return copy_picture_to_desktop(png); }
  TextureStore& textures() override { return textures_; }
  void upload_fonts() override { upload_fonts_to_gl(); }

 private:
  GLFWwindow* window() const { return handle_.get(); }

  // Members are destroyed in reverse order: ImGui before what it points to, and that before the window.
  GlfwHandle handle_;
  DisplayWatch watch_;
  GlfwClipboard clipboard_;
  GlTextures textures_;
  GlfwEvents events_;
  ImGuiContextOwner context_;
  std::atomic<bool> woken_ = false;
  const bool shows_frames_;
  bool shown_ = false;
  bool started_ = false;
};

GlfwWindow::GlfwWindow(GlfwHandle handle, bool shows_frames)
    : handle_(std::move(handle)), clipboard_(window(), watch_), shows_frames_(shows_frames) {
  watch_.begin();
}

GlfwWindow::~GlfwWindow() {
  if (started_ && !watch_.lost()) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
  }
  if (watch_.lost()) {
    ImGui::GetIO().BackendPlatformUserData = nullptr;
    ImGui::GetIO().BackendRendererUserData = nullptr;
    static_cast<void>(handle_.release());  // Ending GLFW would need the lost display.
  }
}

}  // namespace

Result<std::unique_ptr<Window>> open_glfw_window(const WindowOptions& options) {
  Result<GlfwHandle> handle = open_hidden_window(options.title, options.size, options.fits_the_monitor);
  if (!handle) return tl::unexpected<Error>(handle.error());
  set_icons(handle->get(), options.icons);
  auto window = std::make_unique<GlfwWindow>(std::move(*handle), options.shows_frames);
  if (!window->start()) {
    return failure(
        "The window opened, but the OpenGL 3.3 functions could not be loaded. Try software rendering: LIBGL_ALWAYS_SOFTWARE=1 headscope.");
  }
  return window;
}

}  // namespace headscope
