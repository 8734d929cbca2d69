#pragma once

#include <filesystem>
#include <optional>

#include "app/platform/window.h"
#include "core/session/session.h"

namespace headscope {

/// What is kept between runs.
struct Settings {
  Session session = default_session();
  std::optional<float> ui_scale;  ///< nothing: the monitor's
  PixelSize window{1440, 900};
  std::string export_folder;  ///< empty: the current one
};

/// $XDG_CONFIG_HOME/headscope/settings.json, or ~/.config/…; empty where there is no home.
std::filesystem::path settings_file();

/// The settings of the file. Without a file: defaults and the session `opening`; if it cannot be read, these
/// and a complaint, and the file is kept under another name.
struct LoadedSettings {
  Settings settings;
  std::string complaint;     ///< for the person at the screen; empty where all was well
  bool may_be_saved = true;  ///< false: the file holds what saving would destroy
};
LoadedSettings load_settings(const std::filesystem::path& file, const Session& opening = default_session());

/// Creates the folder if it is missing; an error says why nothing was saved.
Result<void> save_settings(const Settings& settings, const std::filesystem::path& file);

}  // namespace headscope
