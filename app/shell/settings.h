#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/kept_state.h"
#include "app/platform/window.h"
#include "core/lesson/lesson.h"
#include "core/session/session.h"

namespace headscope {

/// The data kept between runs.
struct Settings {
  Session session = default_session();
  std::optional<float> ui_scale;  ///< empty: the monitor's
  PixelSize window{1440, 900};
  SidePanels panels;
  bool reduces_motion = false;             ///< nothing in the window moves by itself
  std::string export_folder;               ///< empty: the current folder
  std::vector<std::string> recent_scenes;  ///< the most recent first
  std::vector<OwnLesson> own_lessons;      ///< the one opened last first
  LessonProgress lesson_progress;
  std::vector<std::string> model_folders;  ///< the places of opened foreign models, the last one first
  /// The titles of the first steps that a new user has yet to take.
  std::vector<std::string> first_minute;
  bool has_model = true;  ///< false if the session's weights could not be read; they are left where they are
};

/// Where the settings are kept.
struct SettingsPlace {
  SettingsPlace() = default;
  SettingsPlace(std::filesystem::path settings_file, std::filesystem::path weights_folder)
      : file(std::move(settings_file)), weights(std::move(weights_folder)) {}
  /// Keeps weights beside the file.
  SettingsPlace(const std::filesystem::path& settings_file)
      : file(settings_file), weights(settings_file.parent_path()) {}

  std::filesystem::path file;     ///< empty if settings are not kept
  std::filesystem::path weights;  ///< the folder for weights that were trained in the window
};

/// $XDG_CONFIG_HOME/headscope/settings.json or ~/.config/…, with weights in the state folder. Empty if there
/// is no home folder.
SettingsPlace settings_place();
/// $XDG_STATE_HOME/headscope or ~/.local/state/headscope. Empty if there is no home folder.
std::filesystem::path state_folder();

/// The settings in the file. Without a file, they are the defaults, the session `opening` and the first
/// minute. If the file cannot be read, there is also a complaint, and the file is kept under another name.
struct LoadedSettings {
  Settings settings;
  std::string complaint;     ///< a message for the user; empty if there is nothing to report
  bool may_be_saved = true;  ///< false if saving would destroy what the file holds
};
LoadedSettings load_settings(const SettingsPlace& place, const Session& opening = default_session());

/// Saves the settings and creates missing folders. The error says why nothing was saved. `before` is what was
/// loaded. Settings that have not changed since then keep the values that another program may have written in
/// the meantime.
Result<void> save_settings(const Settings& settings, const SettingsPlace& place,
                           const Settings* before = nullptr);

}  // namespace headscope
