// The program in a page of a browser. page.html calls these functions.
#include <backends/imgui_impl_opengl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>
#include <imgui_internal.h>

#include <cfloat>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/platform/clipboard.h"
#include "app/platform/gl_drawing.h"
#include "app/platform/imgui_context.h"
#include "app/shell/app.h"
#include "app/shell/settings.h"
#include "app/shell/view_record.h"
#include "core/caught.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/opening.h"
#include "core/jobs/job_thread.h"
#include "core/page/figure_file.h"
#include "core/page/page_record.h"
#include "core/system/process.h"
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

/// The canvas, drawn with WebGL 2. page.html sends the events to it.
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

/// The canvas of the page as a window. There may be one. The error says what the browser lacks.
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

EM_JS(int, prefers_dark, (), { return matchMedia("(prefers-color-scheme: dark)").matches ? 1 : 0; });

/// The objects of the page, in order of destruction: the window outlives the app.
struct Page {
  ScopedThreadBan no_threads;
  std::unique_ptr<Window> window;
  std::unique_ptr<App> app;
  LoadedSettings loaded;
  Settings saved;
  double last_frame = 0.0;
  std::string problem;       ///< Why there is no program.
  bool opens_later = false;  ///< What was sent is no scene, which only the program opens.
};

Page& page() {
  static Page page;
  return page;
}

/// Calls a function; an exception ends the program with a message.
template <class Function>
void guarded(const Function& function) try {
  function();
} catch (...) {
  page().problem = current_exception_message();
  page().app.reset();
}

/// What the window shows, or would show. Empty if there is no pass.
std::optional<PageInputs> shown_page() {
  const App* app = page().app.get();
  if (app == nullptr && page().opens_later) return std::nullopt;
  PageInputs shown;
  if (app != nullptr) shown = app->screen().page_inputs;
  shown.session = app != nullptr ? app->session() : page().loaded.settings.session;
  shown.trace = app != nullptr ? app->trace() : compute_trace(shown.session).value_or(nullptr);
  shown.trace_model = shown.session.model;
  if (!shown.trace) return std::nullopt;
  if (app != nullptr && app->scene().lesson) {
    const LessonWalk& walk = app->scene().lesson->walk;
    shown.is_asked = walk.is_open(walk.step);
  }
  return shown;
}

/// The step of the lesson that is open. Empty if none is.
std::string lesson_in_words() {
  const App* app = page().app.get();
  if (app == nullptr || !app->scene().lesson) return {};
  const LessonWalk& walk = app->scene().lesson->walk;
  const LessonStep& step = walk.at();
  std::string text = walk.lesson->title + ", step " + std::to_string(walk.step + 1) + " of " +
                     std::to_string(walk.lesson->steps.size()) + ": " + step.title + "\n" +
                     plain_text(step.body);
  if (!step.missing_parts.empty()) text += "\n" + step.missing_parts;
  if (!step.question) return text;
  text += "\n" + plain_text(step.question->prompt);
  if (walk.wrong) text += "\n" + plain_text(step.question->wrong[*walk.wrong].body);
  if (walk.here().has_hint) text += "\n" + plain_text(step.question->hint);
  if (walk.here().is_right) text += "\nCorrect.";
  if (walk.here().is_right || walk.here().is_revealed) text += "\n" + plain_text(step.question->reveal);
  return text;
}

}  // namespace
}  // namespace headscope

using headscope::page;
using headscope::WebWindow;

extern "C" {

/// Opens the program on the canvas with what was sent (a scene, a lesson or a capture), or as it was left if
/// the path is empty. Returns why it could not, or an empty text.
EMSCRIPTEN_KEEPALIVE const char* web_open(const char* canvas, const char* sent) {
  using namespace headscope;
  guarded([=] {
    const auto opening = startup_session(bundled_model_folders());
    Session first = opening ? *opening : default_session();
    if (prefers_dark() != 0) first.picture.theme = ThemeName::dark;
    LoadedSettings& loaded = page().loaded;
    loaded = load_settings(settings_paths(), first);
    if (!opening) loaded.complaint = opening.error().message;
    const bool is_scene = is_scene_file(sent);
    page().opens_later = *sent != '\0' && !is_scene;
    if (*sent != '\0') {
      // A sent scene must not replace what the user has stored here.
      loaded.settings.first_minute.clear();
      loaded.may_be_saved = false;
    }
    if (is_scene) {
      const auto kept = read_scene(sent, bundled_model_folders());
      if (kept) loaded.settings.session = kept->session;
      loaded.complaint = kept ? kept->complaint : "the scene could not be opened: " + kept.error().message;
    }
    auto window = open_web_window(canvas);
    if (!window) {
      page().problem = window.error().message;
      return;
    }
    page().window = std::move(*window);
    // What is written here is downloaded.
    loaded.settings.export_folder = "~/Downloads";
    std::filesystem::create_directories(environment_variable("HOME") + "/Downloads");
    page().app = std::make_unique<App>(*page().window, loaded.settings, std::filesystem::path());
    page().saved = page().app->settings();
    const PageName view = page().app->session().view;
    if (is_scene && view_record(view).begin != nullptr) page().app->run(view);
    if (page().opens_later) page().app->dispatch(OpenFile{sent});
    if (!loaded.complaint.empty()) page().app->notify(loaded.complaint, NoticeKind::warning);
  });
  return page().problem.c_str();
}

/// Whether everything in the session is on the screen.
EMSCRIPTEN_KEEPALIVE int web_settled() {
  const auto& [app, window] = std::tie(page().app, page().window);
  return app && app->settled() && !window->has_pending_input() && app->pacer().sleep_seconds() > 0.0 ? 1 : 0;
}

/// Works on jobs for a moment, as there are no threads.
EMSCRIPTEN_KEEPALIVE void web_jobs() {
  if (page().app) headscope::guarded([] { page().app->run_jobs(); });
}

/// Draws a frame if one is due. Returns the seconds until the next is due, or -1 if the program has ended.
EMSCRIPTEN_KEEPALIVE double web_frame() {
  using namespace headscope;
  if (!page().app) return -1.0;
  guarded([] {
    App& app = *page().app;
    if (page().window->wait_events(0.0)) app.pacer().event();
    const double now = emscripten_get_now() / 1000.0;
    if (now - page().last_frame < app.pacer().sleep_seconds()) return;
    page().last_frame = now;
    app.frame();
  });
  return page().app ? page().app->pacer().sleep_seconds() : -1.0;
}

/// Makes the interface larger (1) or smaller (−1).
EMSCRIPTEN_KEEPALIVE void web_zoom(int direction) {
  constexpr float step = 1.1F;
  if (page().app) page().app->zoom_interface(direction > 0 ? step : 1.0F / step);
}

/// The page in words as JSON; empty if unchanged or about to change. Without a window, that of the session it
/// would show.
EMSCRIPTEN_KEEPALIVE const char* web_words() {
  using namespace headscope;
  static std::string reported, none;
  try {
    if (page().app && !page().app->settled()) return none.c_str();
    const auto shown = shown_page();
    if (!shown) return none.c_str();
    const PageTranscript words = transcribe_page(*shown);
    const nlohmann::ordered_json json{{"title", words.title},       {"purpose", words.purpose},
                                      {"headline", words.headline}, {"lesson", lesson_in_words()},
                                      {"caption", words.caption},   {"columns", words.columns},
                                      {"rows", words.rows}};
    std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    if (text == reported) return none.c_str();
    reported = std::move(text);
    return reported.c_str();
  } catch (...) {
    return none.c_str();
  }
}

/// The page that cannot be drawn in a window, as SVG. Empty if there is none.
EMSCRIPTEN_KEEPALIVE const char* web_picture() {
  using namespace headscope;
  static std::string svg;
  try {
    const auto shown = shown_page();
    const auto fonts = FontFaces::open_installed();
    if (!shown || !fonts) return svg.c_str();
    const FigureSize size = shown_figure(shown->session).default_size();
    svg = figure_of(*shown, size, measure_with(*fonts))
              .and_then([&](const Figure& figure) {
                return figure_bytes(figure, FileType::svg, size, **fonts, {});
              })
              .value_or("");
  } catch (...) {
    svg.clear();
  }
  return svg.c_str();
}

/// Shows a message.
EMSCRIPTEN_KEEPALIVE void web_told(const char* message) {
  if (page().app) page().app->notify(message, headscope::NoticeKind::warning);
}

/// Writes the settings and the session to the page's files. Returns why it could not, or an empty text.
EMSCRIPTEN_KEEPALIVE const char* web_save() {
  using namespace headscope;
  static std::string problem;
  problem.clear();
  if (!page().app || !page().loaded.may_be_saved) return problem.c_str();
  try {
    const Settings settings = page().app->settings();
    const auto kept = save_settings(settings, settings_paths(), &page().saved);
    if (!kept) problem = kept.error().message;
    if (kept) page().saved = settings;
  } catch (...) {
    problem = current_exception_message();
  }
  return problem.c_str();
}

/// Why the program ended, or what could not be read when it was opened.
EMSCRIPTEN_KEEPALIVE const char* web_problem() {
  return page().problem.empty() ? page().loaded.complaint.c_str() : page().problem.c_str();
}

// Positions and sizes are in pixels of the canvas.

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

int main() {
  return 0;
}
