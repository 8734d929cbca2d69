#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/cli/command_options.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// What the arguments request of the window.
struct WindowRequest {
  /// The session to open with. Empty if no option gives one; the settings of the last run apply then.
  std::optional<Session> session;
  Session opening = default_session();  ///< the session to open with if there are no saved settings
  std::string scene;                    ///< the file that the session comes from; empty if there is none
  std::string lesson;                   ///< the lesson to open, by its name or file; empty if there is none
  std::string file;                     ///< a text to train on; empty if there is none
  std::string complaint;                ///< a message for the user; empty if there is nothing to report
  /// The width and height in screen coordinates, as the window system uses them to place windows.
  std::optional<std::pair<int, int>> size;
  bool listens = false;           ///< for attention that other programs of this user push into the window
  std::optional<float> ui_scale;  ///< empty: the monitor's
  /// The file for a PNG of the whole window. It is written once everything is computed, and the program then
  /// ends.
  std::optional<std::filesystem::path> screenshot;
};

/// Runs a command that needs no display (render, trace, explain, info, tokenize, --help, --version), with
/// results on standard output and messages on standard error, and returns the exit code: 0 for success, 2 for
/// an invalid option or value, and 1 for any other failure. Without a command, returns what the window should
/// open with.
std::variant<int, WindowRequest> run_command_line(int argc, const char* const* argv);

/// Parses words that could follow “headscope render”; the first may name a scene, a figure or a model.
/// Errors: those of the command line.
Result<CommandOptions> render_options(std::vector<std::string> words);

}  // namespace headscope
