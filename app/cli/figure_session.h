#pragma once

#include <filesystem>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"

namespace headscope {

/// Whether session_of_figure() accepts a file: whether its content is a picture or its name is that of a
/// figure.
bool is_figure_file(const std::filesystem::path& file);

/// Reads the session shown in a figure of this program from the command stored in the figure. Fails if the
/// file is not a picture or contains no command, or if the command is invalid.
Result<Session> session_of_figure(const std::filesystem::path& file);

/// Reads the session of a scene or figure for a command, which needs all of it. Fails as session_of_figure()
/// does, and if the model of the scene is not available or has changed.
Result<Session> session_of_file(const std::filesystem::path& file);

/// If the first argument names a scene or a figure, removes it from the arguments and makes it the session
/// that the options change.
void take_scene(CommandOptions& options, std::vector<std::string>& arguments);

/// Reads the session from a command as figure_command() writes it. `sources` provides the files that the
/// command names.
Result<Session> session_of_command(const std::string& command, Sources sources);

/// Reads the session that options of “render”, or a scene's file and options after it, make of the session
/// before. `sources` provides the files that they name. Files that are not read through `sources`, and
/// options for the file of a figure, are refused.
Result<Session> changed_by_words(const std::string& words, const Session& before, Sources sources);

/// The session that the options of “render” describe, with what the figure shows selected and nothing else.
Result<Session> session_of_figure_options(const CommandOptions& options, const Sources& sources);

}  // namespace headscope
