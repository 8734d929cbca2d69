#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/side_panels.h"
#include "app/platform/window.h"
#include "core/scene/first_minute.h"
#include "core/session/session.h"

namespace headscope {

/// What is kept between runs.
struct Settings {
  Session session = default_session();
  std::optional<float> ui_scale;  ///< nothing: the monitor's
  PixelSize window{1440, 900};
  SidePanels panels;
  bool reduces_motion = false;             ///< nothing in the window moves by itself
  std::string export_folder;               ///< empty: the current one
  std::vector<std::string> recent_scenes;  ///< the last one first
  FirstMinute first_minute;                ///< of one who starts the program for the first time
  bool has_model = true;  ///< false: the session's weights could not be read, and stay where they are
};

/// Where they are kept.
struct SettingsPlace {
  SettingsPlace() = default;
  SettingsPlace(std::filesystem::path settings_file, std::filesystem::path weights_folder)
      : file(std::move(settings_file)), weights(std::move(weights_folder)) {}
  /// Weights beside the file.
  SettingsPlace(const std::filesystem::path& settings_file)
      : file(settings_file), weights(settings_file.parent_path()) {}

  std::filesystem::path file;     ///< empty: they are not kept
  std::filesystem::path weights;  ///< the folder of weights that were trained in the window
};

/// $XDG_CONFIG_HOME/headscope/settings.json, or ~/.config/…, with weights in the state folder; empty where
/// there is no home.
SettingsPlace settings_place();
/// $XDG_STATE_HOME/headscope, or ~/.local/state/headscope; empty where there is no home.
std::filesystem::path state_folder();

/// The settings of the file. Without a file: defaults, the session `opening` and the first minute; if it
/// cannot be read, these and a complaint, and the file is kept under another name.
struct LoadedSettings {
  Settings settings;
  std::string complaint;     ///< for the person at the screen; empty where all was well
  bool may_be_saved = true;  ///< false: the file holds what saving would destroy
};
LoadedSettings load_settings(const SettingsPlace& place, const Session& opening = default_session());

/// Creates the folders that are missing; an error says why nothing was saved. `before`: what was loaded; of
/// what has not changed since, the file keeps what another program wrote meanwhile.
Result<void> save_settings(const Settings& settings, const SettingsPlace& place,
                           const Settings* before = nullptr);

}  // namespace headscope
