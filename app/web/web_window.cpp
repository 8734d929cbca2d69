#include "app/web/web_window.h"

#include <backends/imgui_impl_opengl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>
#include <imgui_internal.h>

#include <cfloat>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/platform/clipboard.h"
#include "app/platform/gl_drawing.h"
#include "app/platform/imgui_context.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

// clang-format off
EM_JS(void, put_on_clipboard, (const char* text), { Module.copyText(UTF8ToString(text)); });
EM_JS(int, put_picture_on_clipboard, (const char* png, int size), {
  return Module.copyPicture(HEAPU8.subarray(png, png + size).slice());
});
EM_JS(void, put_link_on_clipboard, (const char* scene), { Module.copyLink(UTF8ToString(scene)); });
EM_JS(void, choose_files, (), { Module.chooseFiles(); });
// Asking WebGL for its state waits for the graphics card. Only this program draws, so whenever ImGui restores the state
// from before its frame, that from before the first frame will do.
EM_JS(void, ask_only_once, (), {
  const context = GL.currentContext.GLctx;
  const ask = context.getParameter.bind(context);
  const answers = new Map();
  context.getParameter = (name) => {
    if (!answers.has(name)) answers.set(name, ask(name));
    return answers.get(name);
  };
});
EM_JS(void, show_cursor, (int cursor), { Module.showCursor(cursor); });
// clang-format on

/// Browsers hand out the clipboard only together with a paste, so its text comes before the keys that paste
/// it.
class WebClipboard : public Clipboard {
 public:
  Result<std::string> get() const override { return text_; }
  void set(const std::string& text) override {
    text_ = text;
    put_on_clipboard(text.c_str());
  }
  void pasted(std::string text) { text_ = std::move(text); }

 private:
  std::string text_;
};

class WebWindow final : public Window {
 public:
  WebWindow() {
    ImGuiIO& io = ImGui::GetIO();
    io.BackendPlatformName = "headscope_web";
    io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
    map_native_keys(io);
    clipboard_.install();
    current = this;
  }
  ~WebWindow() override {
    ImGui_ImplOpenGL3_Shutdown();
    current = nullptr;
  }

  bool wait_events(double /*seconds*/) override { return std::exchange(happened_, false) || !queue_.empty(); }
  void begin_frame() override;
  void end_frame() override {
    ImGui::Render();
    draw_with_gl(size_);
    show_cursor(ImGui::GetMouseCursor());
  }
  bool has_pending_input() const override { return !queue_.empty(); }
  void hold_keys() override { queue_.hold_keys(); }
  bool should_close() const override { return false; }
  std::string loss() const override { return {}; }
  PixelSize framebuffer_size() const override { return size_; }
  float content_scale() const override { return scale_; }
  void wake() override { happened_ = true; }
  Result<Image> read_pixels() override {
    draw_with_gl(size_);
    return read_framebuffer(size_);
  }
  std::vector<std::string> take_dropped_files() override { return std::exchange(dropped_, {}); }
  bool ask_for_files() override {
    choose_files();
    return true;
  }
  Result<void> copy_picture(const std::string& png) override {
    if (put_picture_on_clipboard(png.data(), static_cast<int>(png.size())) != 0) return {};
    return failure("this browser copies no pictures: export it to a file instead");
  }
  Result<void> copy_link(const std::string& scene) override {
    put_link_on_clipboard(scene.c_str());
    return {};
  }
  TextureStore& textures() override { return textures_; }
  void upload_fonts() override { upload_fonts_to_gl(); }

  void push(InputEvent event) {
    queue_.push(event);
    happened_ = true;
  }
  void resize(PixelSize size, float scale) {
    size_ = size;
    scale_ = scale;
    happened_ = true;
  }
  void drop(std::string path) {
    dropped_.push_back(std::move(path));
    happened_ = true;
  }
  WebClipboard& clipboard() { return clipboard_; }

  static WebWindow* current;

 private:
  WebClipboard clipboard_;
  GlTextures textures_;
  ImGuiContextOwner context_;
  InputQueue queue_;
  PixelSize size_{1280, 800};
  float scale_ = 1.0F;
  double time_ = 0.0;
  std::vector<std::string> dropped_;
  bool happened_ = true;
};

WebWindow* WebWindow::current = nullptr;

void WebWindow::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(size_.width), static_cast<float>(size_.height));
  const double now = emscripten_get_now() / 1000.0;
  io.DeltaTime = time_ > 0.0 && now > time_ ? static_cast<float>(now - time_) : 1.0F / 60.0F;
  time_ = now;
  queue_.apply(io);
  update_navigation(io);
  ImGui::NewFrame();
}

}  // namespace

Result<std::unique_ptr<Window>> open_web_window(const char* canvas) {
  EmscriptenWebGLContextAttributes context_options;
  emscripten_webgl_init_context_attributes(&context_options);
  context_options.majorVersion = 2;
  context_options.alpha = EM_FALSE;
  context_options.depth = EM_FALSE;
  context_options.antialias = EM_FALSE;
  const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = emscripten_webgl_create_context(canvas, &context_options);
  if (context <= 0 || emscripten_webgl_make_context_current(context) != EMSCRIPTEN_RESULT_SUCCESS)
    return failure("this browser has no WebGL 2, which draws the program: try another browser");
  ask_only_once();
  auto window = std::make_unique<WebWindow>();
  if (!ImGui_ImplOpenGL3_Init("#version 300 es"))
    return failure("this browser could not start WebGL 2: try another browser");
  return window;
}

}  // namespace headscope

// What page.html calls. Positions and sizes are in pixels of the canvas.

using headscope::WebWindow;

extern "C" {

EMSCRIPTEN_KEEPALIVE void web_resized(int width, int height, float scale) {
  WebWindow::current->resize({width, height}, scale);
}
EMSCRIPTEN_KEEPALIVE void web_moved(float x, float y) {
  WebWindow::current->push(headscope::MouseMoved{x, y});
}
EMSCRIPTEN_KEEPALIVE void web_left() {
  WebWindow::current->push(headscope::MouseMoved{-FLT_MAX, -FLT_MAX});
}
/// Cancels what the mouse does, without a click.
EMSCRIPTEN_KEEPALIVE void web_let_go() {
  ImGui::ClearActiveID();
  web_left();
}
/// Whether a finger that was put down and moved should scroll what lies under it, as nothing else has
/// followed it.
EMSCRIPTEN_KEEPALIVE int web_scrolls() {
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);
  const bool is_upright = std::abs(moved.y) > std::abs(moved.x);
  if ((moved.x == 0.0F && moved.y == 0.0F) || context.ActiveIdHasBeenEditedBefore) return 0;
  for (const ImGuiWindow* each = context.HoveredWindow; each != nullptr; each = each->ParentWindow) {
    if ((is_upright ? each->ScrollMax.y : each->ScrollMax.x) > 0.0F) return 1;
    if ((each->Flags & ImGuiWindowFlags_ChildWindow) == 0) break;
  }
  return 0;
}
/// Scrolls by this many pixels.
EMSCRIPTEN_KEEPALIVE void web_dragged(float dx, float dy) {
  const float step =
      5.0F * ImGui::GetCurrentContext()->FontSize;  // what ImGui scrolls by for each turn of a wheel
  WebWindow::current->push(headscope::WheelTurned{dx / step, dy / step});
}
EMSCRIPTEN_KEEPALIVE int web_wants_text() {
  return ImGui::GetIO().WantTextInput ? 1 : 0;
}
EMSCRIPTEN_KEEPALIVE void web_button(int button, int down) {
  WebWindow::current->push(headscope::MouseButtonChanged{button, down != 0, emscripten_get_now() / 1000.0});
}
EMSCRIPTEN_KEEPALIVE void web_wheel(float dx, float dy) {
  WebWindow::current->push(headscope::WheelTurned{dx, dy});
}
/// \param key A value of headscope::Key.
EMSCRIPTEN_KEEPALIVE void web_key(int key, int down) {
  WebWindow::current->push(headscope::KeyChanged{static_cast<headscope::Key>(key), down != 0});
}
EMSCRIPTEN_KEEPALIVE void web_typed(const char* text) {
  for (const char32_t letter : headscope::code_points(headscope::valid_utf8(text)))
    WebWindow::current->push(headscope::CharacterTyped{static_cast<unsigned>(letter)});
}
EMSCRIPTEN_KEEPALIVE void web_focus(int has_it) {
  WebWindow::current->push(headscope::FocusChanged{has_it != 0});
}
EMSCRIPTEN_KEEPALIVE void web_clipboard(const char* text) {
  WebWindow::current->clipboard().pasted(text);
}
EMSCRIPTEN_KEEPALIVE void web_woken() {
  WebWindow::current->wake();
}
EMSCRIPTEN_KEEPALIVE void web_dropped(const char* path) {
  WebWindow::current->drop(path);
}
}
