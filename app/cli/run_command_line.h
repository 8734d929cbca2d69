#pragma once

#include <filesystem>
#include <optional>
#include <variant>

#include "core/session/session.h"

namespace headscope {

/// Width and height of the window, in the units that the window system places windows in.
struct WindowSize {
  int width = 0;
  int height = 0;
};

/// What the arguments request of the window.
struct WindowRequest {
  /// The session to open with. Nothing if no option gives one: then the settings of the last run apply.
  std::optional<Session> session;
  Session opening = default_session();  ///< what to open on where no settings were kept
  std::string scene;                    ///< the file that the session is from; empty: none
  std::string complaint;                ///< for the person at the screen; empty where all is well
  std::optional<WindowSize> size;
  std::optional<float> ui_scale;  ///< nothing: the monitor's
  /// Where to write a PNG of the whole window once everything is computed; the program ends then.
  std::optional<std::filesystem::path> screenshot;
};

/// Carries out the commands that need no display (render, trace, explain, info, tokenize, --help, --version),
/// with their results and messages on standard output and error, and returns the exit code: 0, 2 for a wrong
/// option or value, 1 for anything else that failed. Without a command: what the window should open with.
std::variant<int, WindowRequest> run_command_line(int argc, const char* const* argv);

}  // namespace headscope
