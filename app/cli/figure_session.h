#pragma once

#include <filesystem>

#include "core/session/session.h"

namespace headscope {

/// Whether a file is a picture, or claims by its name to be a figure: what session_of_figure() has an answer
/// to.
bool is_figure_file(const std::filesystem::path& file);

/// The session that a figure of this program shows: the one that the command in it names. Errors: files that
/// are no picture or say nothing of a command, and what is wrong with the command.
Result<Session> session_of_figure(const std::filesystem::path& file);

/// The same from the command itself, as render_command_text() writes it. Models and masks that it calls by
/// relative names are looked for in `folder` first.
Result<Session> session_of_command(const std::string& command, const std::filesystem::path& folder);

}  // namespace headscope
