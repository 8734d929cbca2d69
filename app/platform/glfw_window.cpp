#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "app/platform/clipboard.h"
#include "app/platform/display_watch.h"
#include "app/platform/gl_textures.h"
#include "app/platform/glfw_events.h"
#include "app/platform/glfw_session.h"
#include "app/platform/imgui_context.h"
#include "app/platform/picture_clipboard.h"
#include "app/platform/window.h"

namespace headscope {
namespace {

class GlfwClipboard : public Clipboard {
 public:
  explicit GlfwClipboard(GLFWwindow* window) : window_(window) {}
  std::string get() const override {
    const char* text = glfwGetClipboardString(window_);
    return text == nullptr ? std::string() : std::string(text);
  }
  void set(const std::string& text) override { glfwSetClipboardString(window_, text.c_str()); }

 private:
  GLFWwindow* window_;
};

class GlfwWindow final : public Window {
 public:
  GlfwWindow(GlfwSession session, bool shows_frames);
  ~GlfwWindow() override;
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;
  /// Returns false if ImGui's renderer does not work with this OpenGL.
  bool start();

  bool wait_events(double seconds) override;
  void begin_frame() override;
  void end_frame() override;
  bool has_pending_input() const override { return events_.pending(); }
  void hold_keys() override { events_.hold_keys(); }
  bool should_close() const override { return watch_.lost() || glfwWindowShouldClose(window()) != 0; }
  std::string loss() const override {
    return watch_.lost() ? "The connection to the display was lost, so the window had to close." : "";
  }
  PixelSize framebuffer_size() const override;
  float content_scale() const override;
  void wake() override {
    woken_ = true;
    glfwPostEmptyEvent();
  }
  Result<Image> read_pixels() override;
  std::vector<std::string> take_dropped_files() override { return events_.take_dropped_files(); }
  Result<void> copy_picture(const std::string& png) override { return copy_picture_to_desktop(png); }
  TextureStore& textures() override { return textures_; }
  void upload_fonts() override;

 private:
  GLFWwindow* window() const { return session_.window(); }
  void render();

  // Members are destroyed in reverse order: ImGui before what it points to, and that before the window.
  GlfwSession session_;
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

GlfwWindow::GlfwWindow(GlfwSession session, bool shows_frames)
    : session_(std::move(session)), clipboard_(window()), shows_frames_(shows_frames) {
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
    session_.abandon();
  }
}

bool GlfwWindow::start() {
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

bool GlfwWindow::wait_events(double seconds) {
  if (seconds > 0.0 && !woken_ && !events_.pending()) {
    // If the display goes away, GLFW's wait does not end and keeps the processor busy, so it is limited.
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
  return events_.take_happened() || woken;
}

void GlfwWindow::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  // A display that has just been lost may report a negative size, which ImGui does not accept.
  ImVec2& size = ImGui::GetIO().DisplaySize;
  size = {std::max(size.x, 0.0F), std::max(size.y, 0.0F)};
  events_.apply(ImGui::GetIO());
  update_navigation(ImGui::GetIO());
  ImGui::NewFrame();
}

void GlfwWindow::render() {
  const PixelSize size = framebuffer_size();
  const ImVec4 ground = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
  const ImU32 color = ImGui::ColorConvertFloat4ToU32(ground);
  clear_framebuffer(size.width, size.height,
                    {static_cast<std::uint8_t>(color >> IM_COL32_R_SHIFT),
                     static_cast<std::uint8_t>(color >> IM_COL32_G_SHIFT),
                     static_cast<std::uint8_t>(color >> IM_COL32_B_SHIFT)});
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void GlfwWindow::end_frame() {
  ImGui::Render();
  if (watch_.lost()) return;
  if (shows_frames_) {
    render();
    glfwSwapBuffers(window());
  }
  if (!std::exchange(shown_, true)) {
    glfwShowWindow(window());
    events_.note();
  }
}

PixelSize GlfwWindow::framebuffer_size() const {
  PixelSize size;
  glfwGetFramebufferSize(window(), &size.width, &size.height);
  return size;
}

float GlfwWindow::content_scale() const {
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

Result<Image> GlfwWindow::read_pixels() {
  if (watch_.lost()) return failure(loss());
  const PixelSize size = framebuffer_size();
  if (size.width <= 0 || size.height <= 0)
    return failure("the window is minimized, so there are no pixels to read");
  if (ImGui::GetDrawData() == nullptr) return failure("the window has not drawn anything yet");
  // The content of the back buffer is undefined after the swap, so the frame is drawn once more.
  render();
  return read_framebuffer(size.width, size.height);
}

void GlfwWindow::upload_fonts() {
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace

Result<std::unique_ptr<Window>> open_glfw_window(const WindowOptions& options) {
  Result<GlfwSession> session = GlfwSession::open(options.title, options.size, options.fits_the_monitor);
  if (!session) return tl::unexpected<Error>(session.error());
  session->set_icons(options.icons);
  auto window = std::make_unique<GlfwWindow>(std::move(*session), options.shows_frames);
  if (!window->start()) {
    return failure(
        "The window opened, but the OpenGL 3.3 functions could not be loaded. Try software rendering: LIBGL_ALWAYS_SOFTWARE=1 headscope.");
  }
  return window;
}

}  // namespace headscope
