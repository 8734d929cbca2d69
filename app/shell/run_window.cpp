#include "app/shell/run_window.h"

#include <chrono>
#include <iostream>
#include <new>
#include <system_error>

#include "app/shell/app.h"
#include "core/figure/png_writer.h"

namespace headscope {
namespace {

int complain(const std::string& message) {
  std::cerr << "headscope: " << message << "\n";
  return 1;
}

LoadedSettings settings_for(const WindowRequest& request, const std::filesystem::path& file) {
  // A screenshot shows what its options say, whatever this person last did.
  LoadedSettings loaded = load_settings(request.screenshot ? std::filesystem::path() : file, request.opening);
  if (request.session) loaded.settings.session = *request.session;
  if (!request.complaint.empty()) loaded.complaint = request.complaint;
  if (request.size) loaded.settings.window = {request.size->width, request.size->height};
  if (request.ui_scale) loaded.settings.ui_scale = request.ui_scale;
  return loaded;
}

int take_screenshot(Window& window, App& app, const std::filesystem::path& file) {
  constexpr int frames_after_settling = 3;
  constexpr std::chrono::seconds patience(60);
  const auto start = std::chrono::steady_clock::now();
  for (int settled = 0; settled < frames_after_settling;) {
    if (std::chrono::steady_clock::now() - start > patience) {
      return complain("the picture did not settle within 60 s: no screenshot was written");
    }
    constexpr double while_computing = 0.02;
    window.wait_events(app.settled() ? 0.0 : while_computing);
    if (window.should_close()) return complain("the window was closed before the screenshot was taken");
    app.frame();
    settled = app.settled() ? settled + 1 : 0;
  }
  if (!app.error().empty()) return complain(app.error() + ": no screenshot was written");
  const auto pixels = window.read_pixels();
  if (!pixels) return complain(pixels.error().message);
  const auto written = write_png(*pixels, file, {{"Software", "headscope"}});
  return written ? 0 : complain(written.error().message);
}

int until_closed(Window& window, App& app, const std::filesystem::path& settings_path) {
  while (!window.should_close() && !app.wants_to_quit()) {
    if (window.wait_events(app.pacer().sleep_seconds())) app.pacer().event();
    if (!window.loss().empty()) break;
    app.frame();
  }
  const auto saved = save_settings(app.settings(), settings_path);
  if (!saved) complain("the settings were not kept: " + saved.error().message);
  return window.loss().empty() ? 0 : complain(window.loss());
}

}  // namespace

int run_window(const WindowRequest& request) try {
  const std::filesystem::path file = settings_file();
  const LoadedSettings loaded = settings_for(request, file);
  // A screenshot has the size that was asked for, whatever the monitor's.
  auto window = open_glfw_window({"Headscope", loaded.settings.window, !request.screenshot.has_value()});
  if (!window) return complain(window.error().message);
  App app(**window, loaded.settings);
  if (!loaded.complaint.empty()) app.say(loaded.complaint, NoticeKind::warning);
  if (request.screenshot) return take_screenshot(**window, app, *request.screenshot);
  return until_closed(**window, app, file);
} catch (const std::bad_alloc&) {
  return complain("not enough memory: shorten the sentence, or use fewer heads or a smaller d_model");
} catch (const std::system_error& error) {  // no thread to be had, above all
  return complain(std::string("the system refuses more: ") + error.what());
}

}  // namespace headscope
