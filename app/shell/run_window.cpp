#include "app/shell/run_window.h"

#include <algorithm>
#include <cerrno>
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
#include "app/shell/folders.h"
#include "app/shell/view_record.h"
#include "core/caught.h"
#include "core/checkpoint/capture.h"
#include "core/checkpoint/saved_session.h"
#include "core/figure/figure.h"
#include "core/figure/icon.h"
#include "core/io/json_text.h"
#include "core/paint/picture_reader.h"
#include "core/paint/png_file.h"
#include "core/system/model_places.h"
#include "core/system/read_file.h"
#include "core/system/signals.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

/// The program's icon in all sizes, read from icon.png beside the bundled models. Empty if that file is
/// missing.
std::vector<Image> window_icons() {
  for (const std::filesystem::path& models : model_places()) {
    const auto bytes = read_file(models.parent_path() / "icon.png");
    if (!bytes) continue;
    if (const auto strip = image_in(*bytes)) return icons_in(*strip);
  }
  return {};
}

int complain(const std::string& message) {
  std::cerr << "headscope: " << escaped_message(message) << "\n";
  return 1;
}

/// Scales the size of the window, so that an interface at another scale has the same room. The monitor limits
/// the size.
PixelSize at_scale(PixelSize window, float factor) {
  const auto scaled = [&](int side) {
    return static_cast<int>(std::lround(static_cast<float>(side) * factor));
  };
  return {scaled(window.width), scaled(window.height)};
}

LoadedSettings settings_for(const WindowRequest& request, const SettingsPlace& place) {
  // A screenshot shows only what its options say, regardless of the user's last session.
  LoadedSettings loaded = load_settings(request.screenshot ? SettingsPlace() : place, request.opening);
  if (request.session) loaded.settings.session = *request.session;
  if (!request.complaint.empty()) loaded.complaint = request.complaint;
  if (loaded.settings.export_folder.empty() && !request.screenshot)
    loaded.settings.export_folder = pictures_folder();
  if (request.size) {
    loaded.settings.window = {request.size->width, request.size->height};
  } else if (request.ui_scale && !request.screenshot) {
    loaded.settings.window =
        at_scale(loaded.settings.window, *request.ui_scale / loaded.settings.ui_scale.value_or(1.0F));
  }
  return loaded;
}

int take_screenshot(Window& window, App& app, const SignalWatch& signals, const std::filesystem::path& file) {
  app.hold_still();
  constexpr int frames_after_settling = 3;
  constexpr std::chrono::seconds patience(60);
  const auto start = std::chrono::steady_clock::now();
  for (int settled = 0; settled < frames_after_settling;) {
    if (std::chrono::steady_clock::now() - start > patience) {
      return complain("the window did not settle within 60 s, so no screenshot was written");
    }
    constexpr double while_computing = 0.02;
    window.wait_events(app.settled() ? 0.0 : while_computing);
    if (window.should_close() || signals.asked_to_end()) {
      return complain("interrupted before the screenshot was taken");
    }
    app.frame();
    settled = app.settled() ? settled + 1 : 0;
  }
  if (!app.error().empty()) return complain(app.error() + ": no screenshot was written");
  const auto pixels = window.read_pixels();
  if (!pixels) return complain(pixels.error().message);
  const auto written = write_png(*pixels, file, {{"Software", "headscope"}});
  return written ? 0 : complain(written.error().message);
}

/// The interface scale that was given for this run alone, and the one in the settings. The given scale is not
/// saved unless it was changed during the run.
struct ScaleForThisRun {
  std::optional<float> given;
  std::optional<float> scale_before;
};

/// While an object of this class exists, a signal wakes the window. If the window cannot end in time, its
/// session is kept.
class EndBySignal {
 public:
  EndBySignal(SignalWatch& signals, Window& window, App& app) : signals_(signals) {
    signals_.on_signal([&window] { window.wake(); });
    signals_.rescue_by([&app] { app.rescue_session(); });
  }
  ~EndBySignal() {
    signals_.on_signal(nullptr);
    signals_.rescue_by(nullptr);
  }
  EndBySignal(const EndBySignal&) = delete;
  EndBySignal& operator=(const EndBySignal&) = delete;

 private:
  SignalWatch& signals_;
};

/// Passes the last input to the session: input that is on its way or waits for its frame. A signal may
/// overtake keys that were pressed before it.
void take_last_input(Window& window, App& app, bool is_overtaken) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds on_its_way(100);
  constexpr std::chrono::milliseconds longest(700);
  constexpr double between_looks = 0.01;
  const Clock::time_point begin = Clock::now();
  Clock::time_point last = begin;
  while (window.loss().empty() && Clock::now() - begin < longest) {
    window.wait_events(is_overtaken ? between_looks : 0.0);
    if (window.has_pending_input()) {
      app.frame();
      last = Clock::now();
    } else if (!is_overtaken || Clock::now() - last >= on_its_way) {
      return;
    }
  }
}

/// Opens captures that other programs of this user push into the window. A message is JSON with the "path" of
/// a capture, and the answer is empty or says why the file cannot be opened.
class PushedCaptures {
 public:
  explicit PushedCaptures(Window& window) : window_(window) {}

  Result<void> listen() {
    auto made =
        Listener::open(window_socket(), [this](const std::string& message) { return opened(message); });
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
    waiting_.push_back({std::move(*capture)});
    window_.wake();
    return {};
  } catch (...) {
    return caught_text();
  }

  Window& window_;
  std::mutex mutex_;
  std::vector<CapturePushed> waiting_;
  std::unique_ptr<Listener> listener_;  ///< Declared last, so that its thread ends first.
};

/// Runs the window until it is closed. Returns the reason if it ended by itself; otherwise empty.
std::string show_until_closed(Window& window, App& app, SignalWatch& signals, PushedCaptures& pushed) try {
  while (!window.should_close() && !app.wants_to_quit() && !signals.asked_to_end()) {
    if (window.wait_events(app.pacer().sleep_seconds())) app.pacer().event();
    if (!window.loss().empty()) break;
    for (const CapturePushed& next : pushed.take()) {
      app.dispatch(next);
      app.pacer().event();
    }
    app.frame();
  }
  take_last_input(window, app, signals.asked_to_end());
  return window.loss();
} catch (...) {
  return caught_text();
}

/// Saves the settings. Returns false on failure.
bool keep_settings(App& app, const ScaleForThisRun& scale, const Settings& before,
                   const SettingsPlace& place) {
  Settings settings = app.settings();
  if (scale.given && settings.ui_scale == scale.given) settings.ui_scale = scale.scale_before;
  const auto is_lost = [](const Session& subject) { return is_in_no_file(subject.model); };
  if (std::ranges::any_of(subjects_of(settings.session), is_lost)) settings.session = before.session;
  const auto saved = save_settings(settings, place, &before);
  if (!saved) complain("the settings could not be saved: " + saved.error().message);
  return saved.has_value();
}

}  // namespace

int run_window(const WindowRequest& request) try {
  SignalWatch signals;
  const SettingsPlace place = settings_place();
  LoadedSettings loaded = settings_for(request, place);
  const Settings before = loaded.settings;
  const ScaleForThisRun scale{request.ui_scale, loaded.settings.ui_scale};
  if (request.ui_scale) loaded.settings.ui_scale = request.ui_scale;
  // A screenshot has the requested size, whatever the monitor's size is.
  const bool is_shown = !request.screenshot.has_value();
  auto window = open_glfw_window({"Headscope", loaded.settings.window, is_shown, is_shown, window_icons()});
  if (!window) return complain(window.error().message);
  App app(**window, loaded.settings, request.screenshot ? std::filesystem::path() : state_folder());
  if (!request.scene.empty()) app.note_scene(request.scene);
  if (!request.file.empty()) app.dispatch(OpenFile{request.file});
  if (!request.lesson.empty()) app.dispatch(OpenLesson{request.lesson});
  const PageName view = app.session().view;
  if (request.session && view_record(view).begin != nullptr) {
    if (request.selects_row) {
      app.run(view);
    } else {
      app.begin_view();
    }
  }
  if (request.screenshot) {
    if (!loaded.complaint.empty()) complain(loaded.complaint);
    return take_screenshot(**window, app, signals, *request.screenshot);
  }
  if (!loaded.complaint.empty()) app.say(loaded.complaint, NoticeKind::warning);
  const EndBySignal end_by_signal(signals, **window, app);
  PushedCaptures pushed(**window);
  if (request.listens) {
    if (const auto listens = pushed.listen(); !listens) app.say(listens.error().message, NoticeKind::warning);
  }
  app.wait_for_first_pass();
  const std::string fault = show_until_closed(**window, app, signals, pushed);
  const bool is_kept = loaded.may_be_saved && keep_settings(app, scale, before, place);
  if (is_kept && fault.empty()) {
    app.end_autosave();
  } else {
    app.rescue_session();
  }
  if (!fault.empty()) return complain(fault);
  return is_kept || !loaded.may_be_saved ? 0 : 1;
} catch (...) {
  return complain(caught_text());
}

}  // namespace headscope
