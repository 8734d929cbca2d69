#pragma once

#include <filesystem>

#include "core/session/session.h"

namespace headscope {

/// Whether a file is a picture, or a figure by its name: what session_of_figure() accepts.
bool is_figure_file(const std::filesystem::path& file);

/// The session shown in a figure of this program, from the command stored in it. Errors: files that are not
/// pictures or contain no command, and invalid commands.
Result<Session> session_of_figure(const std::filesystem::path& file);

/// The same from the command itself, as render_command_text() writes it. Relative names of models and masks
/// are looked up in `folder` first.
Result<Session> session_of_command(const std::string& command, const std::filesystem::path& folder);

}  // namespace headscope
