#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/persistent_state.h"
#include "app/platform/window.h"
#include "core/session/session.h"

namespace headscope {

/// What is saved between runs.
struct Settings {
  Session session = default_session();
  std::optional<float> ui_scale;  ///< empty: the monitor's
  PixelSize window{1440, 900};
  SidePanels panels;
  bool reduces_motion = false;             ///< nothing in the window moves by itself
  std::string export_folder;               ///< empty: the current folder
  SceneFiles scenes;                       ///< without the open scene, which is not saved
  std::vector<std::string> model_folders;  ///< the paths of opened foreign models, most recent first
  /// The titles of the first steps that a new user has yet to take.
  std::vector<std::string> first_minute;
  bool has_model = true;  ///< false if the session's weights could not be read; they are left where they are
};

/// Where settings are saved.
struct SettingsPaths {
  SettingsPaths() = default;
  SettingsPaths(std::filesystem::path settings_file, std::filesystem::path weights_folder)
      : file(std::move(settings_file)), weights(std::move(weights_folder)) {}
  /// Keeps weights beside the file.
  SettingsPaths(const std::filesystem::path& settings_file)
      : file(settings_file), weights(settings_file.parent_path()) {}

  std::filesystem::path file;     ///< empty if settings are not kept
  std::filesystem::path weights;  ///< the folder for weights that were trained in the window
};

/// $XDG_CONFIG_HOME/headscope/settings.json or ~/.config/…, with weights in the state folder. Empty if there
/// is no home folder.
SettingsPaths settings_paths();
/// $XDG_STATE_HOME/headscope or ~/.local/state/headscope. Empty if there is no home folder.
std::filesystem::path state_folder();

/// The settings in the file. Without a file: the defaults, the session `opening` and the first minute. An
/// unreadable file is kept under another name and reported.
struct LoadedSettings {
  Settings settings;
  std::string complaint;     ///< a message for the user; empty if there is nothing to report
  bool may_be_saved = true;  ///< false if saving would destroy what the file holds
};
LoadedSettings load_settings(const SettingsPaths& place, const Session& opening = default_session());

/// Saves the settings and creates missing folders. `before` is what was loaded: settings that have not
/// changed since then keep the values that another process may have written meanwhile.
Result<void> save_settings(const Settings& settings, const SettingsPaths& place,
                           const Settings* before = nullptr);

}  // namespace headscope
