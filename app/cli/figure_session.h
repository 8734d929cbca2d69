#pragma once

#include <filesystem>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"

namespace headscope {

/// Whether a file is a picture, or a figure by its name: what session_of_figure() accepts.
bool is_figure_file(const std::filesystem::path& file);

/// The session shown in a figure of this program, from the command stored in it. Errors: files that are not
/// pictures or contain no command, and invalid commands.
Result<Session> session_of_figure(const std::filesystem::path& file);

/// The session of a scene or of a figure, for a command: it must be whole. Errors: as above, and a scene
/// whose model is not to be had, or has changed.
Result<Session> session_of_file(const std::filesystem::path& file);

/// If the first argument is the name of a scene or of a figure, that it is what the options change: takes it
/// off the arguments.
void take_scene(CommandOptions& options, std::vector<std::string>& arguments);

/// The same from the command itself, as figure_command() writes it; `sources`: of what it names.
Result<Session> session_of_command(const std::string& command, Sources sources);

/// The session that the options of “render” make: what the figure shows is selected, and nothing else is.
Result<Session> session_of_figure_options(const CommandOptions& options, const Sources& sources);

}  // namespace headscope
