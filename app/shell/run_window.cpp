#include "app/shell/run_window.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/platform/listener.h"
#include "app/shell/app.h"
#include "app/shell/files.h"
#include "app/shell/view_record.h"
#include "core/caught.h"
#include "core/checkpoint/capture.h"
#include "core/checkpoint/saved_session.h"
#include "core/figure/figure.h"
#include "core/figure/icon.h"
#include "core/io/json_text.h"
#include "core/paint/picture_reader.h"
#include "core/paint/png_file.h"
#include "core/system/process.h"
#include "core/system/read_file.h"
#include "core/system/signals.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

/// The program's icon in all sizes, read from icon.png beside the bundled models. Empty if that file is
/// missing.
std::vector<Image> window_icons() {
  for (const std::filesystem::path& models : bundled_model_folders()) {
    const auto bytes = read_file(models.parent_path() / "icon.png");
    if (!bytes) continue;
    if (const auto strip = image_in(*bytes)) return split_icons(*strip);
  }
  return {};
}

int report_error(const std::string& message) {
  std::cerr << "headscope: " << escaped_message(message) << "\n";
  return 1;
}

/// Scales the window with the interface, within the monitor's limits.
PixelSize at_scale(PixelSize window, float factor) {
  const auto scaled = [&](int side) {
    return static_cast<int>(std::lround(static_cast<float>(side) * factor));
  };
  return {scaled(window.width), scaled(window.height)};
}

LoadedSettings settings_for(const WindowRequest& request, const SettingsPaths& place) {
  // A screenshot depends only on its options, not on the user's last session.
  LoadedSettings loaded = load_settings(request.screenshot ? SettingsPaths() : place, request.opening);
  if (request.session) loaded.settings.session = *request.session;
  if (!request.complaint.empty()) loaded.complaint = request.complaint;
  if (loaded.settings.export_folder.empty() && !request.screenshot)
    loaded.settings.export_folder = pictures_folder();
  if (request.size) {
    loaded.settings.window = {request.size->first, request.size->second};
  } else if (request.ui_scale && !request.screenshot) {
    loaded.settings.window =
        at_scale(loaded.settings.window, *request.ui_scale / loaded.settings.ui_scale.value_or(1.0F));
  }
  return loaded;
}

int take_screenshot(Window& window, App& app, const SignalWatch& signals, const std::filesystem::path& file) {
  app.hide_transients();
  constexpr int frames_after_settling = 3;
  constexpr std::chrono::seconds patience(60);
  const auto start = std::chrono::steady_clock::now();
  for (int settled = 0; settled < frames_after_settling;) {
    if (std::chrono::steady_clock::now() - start > patience) {
      return report_error("the window did not settle within 60 s, so no screenshot was written");
    }
    constexpr double while_computing = 0.02;
    window.wait_events(app.settled() ? 0.0 : while_computing);
    if (window.should_close() || signals.shutdown_requested()) {
      return report_error("interrupted before the screenshot was taken");
    }
    app.frame();
    settled = app.settled() ? settled + 1 : 0;
  }
  if (!app.error().empty()) return report_error(app.error() + ": no screenshot was written");
  const auto pixels = window.read_pixels();
  if (!pixels) return report_error(pixels.error().message);
  const auto written = write_png(*pixels, file, {{"Software", "headscope"}});
  return written ? 0 : report_error(written.error().message);
}

/// While this exists, a signal wakes the window. If the window cannot close in time, the session is saved.
class SignalShutdown {
 public:
  SignalShutdown(SignalWatch& signals, Window& window, App& app) : signals_(signals) {
    signals_.on_signal([&window] { window.wake(); });
    signals_.on_termination([&app] { app.rescue_session(); });
  }
  ~SignalShutdown() {
    signals_.on_signal(nullptr);
    signals_.on_termination(nullptr);
  }
  SignalShutdown(const SignalShutdown&) = delete;
  SignalShutdown& operator=(const SignalShutdown&) = delete;

 private:
  SignalWatch& signals_;
};

/// Delivers pending input to the session: a signal may overtake keys that were pressed before it.
void drain_input(Window& window, App& app, bool is_overtaken) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds pending_input(100);
  constexpr std::chrono::milliseconds longest(700);
  constexpr double poll_interval = 0.01;
  const Clock::time_point begin = Clock::now();
  Clock::time_point last = begin;
  while (window.loss().empty() && Clock::now() - begin < longest) {
    window.wait_events(is_overtaken ? poll_interval : 0.0);
    if (window.has_pending_input()) {
      app.frame();
      last = Clock::now();
    } else if (!is_overtaken || Clock::now() - last >= pending_input) {
      return;
    }
  }
}

/// Receives captures that other programs of this user push into the window. A request is JSON with the "path"
/// of a capture; the reply is empty or the reason why it cannot be opened.
class CaptureListener {
 public:
  explicit CaptureListener(Window& window) : window_(window) {}

  Result<void> listen() {
    auto made =
        Listener::open(window_socket_path(), [this](const std::string& message) { return opened(message); });
    if (!made) return tl::unexpected(made.error());
    listener_ = std::move(*made);
    return {};
  }
  /// The captures that were opened since the last call.
  std::vector<CapturePushed> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

 private:
  std::string opened(const std::string& message) try {
    const auto json = parse_json(message);
    if (!json || !json->is_object()) return "a message is a JSON object with “path”";
    constexpr const char* no_name = "";
    auto capture = open_capture(json->value("path", std::string()), no_name);
    if (!capture) return escaped_message(capture.error().message);
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(*capture));
    window_.wake();
    return {};
  } catch (...) {
    return current_exception_message();
  }

  Window& window_;
  std::mutex mutex_;
  std::vector<CapturePushed> waiting_;
  std::unique_ptr<Listener> listener_;  ///< Declared last, so that its thread ends first.
};

/// The event loop. Returns why it ended by itself; empty if the window was closed.
std::string run_event_loop(Window& window, App& app, SignalWatch& signals, CaptureListener& pushed) try {
  while (!window.should_close() && !app.wants_to_quit() && !signals.shutdown_requested()) {
    if (window.wait_events(app.pacer().sleep_seconds())) app.pacer().event();
    if (!window.loss().empty()) break;
    app.frame();
    // The first frame notes the session that needs no keeping, so nothing is pushed before it.
    for (const CapturePushed& next : pushed.take()) {
      app.dispatch(next);
      app.pacer().event();
    }
  }
  drain_input(window, app, signals.shutdown_requested());
  return window.loss();
} catch (...) {
  return current_exception_message();
}

/// Saves the settings; a scale given for this run is saved only if it was changed since. Returns false on
/// failure.
bool store_settings(App& app, std::optional<float> given_scale, const Settings& before,
                    const SettingsPaths& place) {
  Settings settings = app.settings();
  if (given_scale && settings.ui_scale == given_scale) settings.ui_scale = before.ui_scale;
  const auto is_lost = [](const Session& subject) { return has_no_file(subject.model); };
  if (std::ranges::any_of(subjects_of(settings.session), is_lost)) settings.session = before.session;
  const auto saved = save_settings(settings, place, &before);
  if (!saved) report_error("the settings could not be saved: " + saved.error().message);
  return saved.has_value();
}

}  // namespace

int run_window(const WindowRequest& request) try {
  SignalWatch signals;
  const SettingsPaths place = settings_paths();
  LoadedSettings loaded = settings_for(request, place);
  const Settings before = loaded.settings;
  if (request.ui_scale) loaded.settings.ui_scale = request.ui_scale;
  // A screenshot has the requested size, whatever the monitor's size is.
  const bool is_shown = !request.screenshot.has_value();
  auto window = open_glfw_window({"Headscope", loaded.settings.window, is_shown, is_shown, window_icons()});
  if (!window) return report_error(window.error().message);
  App app(**window, loaded.settings, request.screenshot ? std::filesystem::path() : state_folder());
  if (!request.scene.empty()) app.remember_scene(request.scene);
  if (!request.file.empty()) app.dispatch(OpenFile{request.file});
  if (!request.lesson.empty()) app.dispatch(OpenLesson{request.lesson});
  const PageName view = app.session().view;
  if (request.session && view_record(view).begin != nullptr) app.run(view);
  if (request.screenshot) {
    if (!loaded.complaint.empty()) report_error(loaded.complaint);
    return take_screenshot(**window, app, signals, *request.screenshot);
  }
  if (!loaded.complaint.empty()) app.notify(loaded.complaint, NoticeKind::warning);
  const SignalShutdown end_by_signal(signals, **window, app);
  CaptureListener pushed(**window);
  if (request.listens) {
    if (const auto listens = pushed.listen(); !listens)
      app.notify(listens.error().message, NoticeKind::warning);
  }
  app.wait_for_first_pass();
  const std::string fault = run_event_loop(**window, app, signals, pushed);
  const bool is_kept = loaded.may_be_saved && store_settings(app, request.ui_scale, before, place);
  if (is_kept && fault.empty()) {
    app.end_autosave();
  } else {
    app.rescue_session();
  }
  if (!fault.empty()) return report_error(fault);
  return is_kept || !loaded.may_be_saved ? 0 : 1;
} catch (...) {
  return report_error(current_exception_message());
}

}  // namespace headscope
