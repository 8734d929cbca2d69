// The program in a page of a browser. page.html calls these functions.
#include <emscripten.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>

#include "app/cli/commands.h"
#include "app/shell/app.h"
#include "app/shell/settings.h"
#include "app/shell/view_record.h"
#include "app/web/web_window.h"
#include "core/caught.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/opening.h"
#include "core/jobs/job_thread.h"
#include "core/page/figure_file.h"
#include "core/page/page_record.h"
#include "core/system/process.h"

namespace headscope {
namespace {

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

std::string json_of(const PageTranscript& words, const std::string& lesson) {
  const nlohmann::ordered_json json{{"title", words.title},       {"purpose", words.purpose},
                                    {"headline", words.headline}, {"lesson", lesson},
                                    {"caption", words.caption},   {"columns", words.columns},
                                    {"rows", words.rows}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace
}  // namespace headscope

using headscope::page;

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
    std::string words = json_of(transcribe_page(*shown), lesson_in_words());
    if (words == reported) return none.c_str();
    reported = std::move(words);
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
}

int main() {
  return 0;
}
