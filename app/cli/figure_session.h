#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/resource_loader.h"
#include "core/checkpoint/saved_session.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Extracts each --against and the subject options that follow it from `words`. Options that do not describe
/// a subject, such as --out, stay in `words` wherever they stand. Usage errors: an option without its value,
/// or one given twice.
Result<std::vector<CommandOptions>> consume_against(std::vector<std::string>& words);

/// Expands a sentence with a choice, “too {tired|wide}”, as the window does: the last variant stays, and the
/// others become subjects to compare with. Selects the page Compare unless another one is named.
void expand_choices(CommandOptions& options);

/// The subject of `session` as changed by these options. A preset or a model replaces it. Throws as
/// session_of() does.
Subject subject_against(const CommandOptions& options, const Session& session, const ResourceLoader& loader);

/// Returns `session` with the subjects of `against` to compare with. Throws as well.
Session with_compared(const std::vector<CommandOptions>& against, Session session,
                      const ResourceLoader& loader);

/// Whether read_figure_scene() accepts a file: whether its content is a picture or its name is that of a
/// figure.
bool is_figure_file(const std::filesystem::path& file);

/// Reads the scene that a figure of this program shows, as read_scene() reads a scene file. Errors: a file
/// without a scene; for a figure of an earlier version, the message gives the command that redraws it.
Result<LoadedSession> read_figure_scene(const std::filesystem::path& file, const ModelRef& instead = nullptr);

/// Reads the complete session of a scene or figure. Errors: those of read_figure_scene(), and a model that is
/// missing or has changed.
Result<Session> read_session_file(const std::filesystem::path& file);

/// If the first argument names a scene or a figure, consumes it. The options then change its session.
void consume_scene(CommandOptions& options, std::vector<std::string>& arguments);

/// Parses the words of a command “headscope render …”. Error messages refer to them as `what`.
Result<CommandOptions> parse_render_words(std::vector<std::string> words, const std::string& what);

/// The options of the command stored in a figure of an earlier version. Empty if none can be read, as from a
/// PDF.
std::optional<CommandOptions> read_figure_options(const std::filesystem::path& file);

/// The size of the figure in a file. Empty if the file is no figure or does not state its size. Errors: an
/// invalid size.
Result<std::optional<FigureSize>> read_figure_size(const std::filesystem::path& file);

/// Whether the words of a scene determine the model regardless of the session before. True for invalid words,
/// so that their error is reported.
bool determines_model(const std::string& words);

/// Applies options of “render”, or a scene file followed by options, to the session before. All files are
/// read through `loader`; options that would read others or describe an output file are errors.
Result<Session> apply_words(const std::string& words, const Session& before, ResourceLoader loader);

/// Selects the row that the window would show, for a figure of a page whose options name none.
void select_default_row(const CommandOptions& options, Session& session);

/// The session that options of “render” describe, with exactly what the figure shows selected.
Result<Session> figure_session(const CommandOptions& options, const ResourceLoader& loader);

}  // namespace headscope
