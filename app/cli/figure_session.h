#pragma once

#include <filesystem>
#include <optional>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"
#include "core/checkpoint/saved_session.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Whether scene_of_figure() accepts a file: whether its content is a picture or its name is that of a
/// figure.
bool is_figure_file(const std::filesystem::path& file);

/// Reads the scene that a figure of this program shows, as read_scene() reads a scene's file. Fails if the
/// file holds no scene; the message about a figure of an earlier version gives the command that makes it
/// again.
Result<KeptSession> scene_of_figure(const std::filesystem::path& file, const ModelValue& instead = nullptr);

/// Reads the session of a scene or figure for a command, which needs all of it. Fails as scene_of_figure()
/// does, and if the model of the scene is not available or has changed.
Result<Session> session_of_file(const std::filesystem::path& file);

/// If the first argument names a scene or a figure, removes it from the arguments and makes it the session
/// that the options change.
void take_scene(CommandOptions& options, std::vector<std::string>& arguments);

/// The options of the command in a figure of an earlier version. Empty if the file has none that can be read,
/// as a PDF.
std::optional<CommandOptions> options_of_figure(const std::filesystem::path& file);

/// The size of the figure in a file. Empty if the file is no figure or does not say. It is an error if what
/// it says is no size.
Result<std::optional<FigureSize>> size_of_figure(const std::filesystem::path& file);

/// Parses the words of a command “headscope render …”. Errors call them `what`.
Result<CommandOptions> options_of_words(std::vector<std::string> words, const std::string& what);

/// Whether the words of a scene determine the model, whatever was shown before. True for words that cannot be
/// read, so that the mistake in them is reported.
bool says_which_model(const std::string& words);

/// Applies options of “render”, or a scene's file followed by options, to the session before. `sources`
/// provides the files that they name. Files that are not read through `sources`, and options for the file of
/// a figure, are refused.
Result<Session> changed_by_words(const std::string& words, const Session& before, Sources sources);

/// The session that the options of “render” describe, with what the figure shows selected and nothing else.
Result<Session> session_of_figure_options(const CommandOptions& options, const Sources& sources);

}  // namespace headscope
