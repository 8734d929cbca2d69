#pragma once

#include <string>
#include <vector>

#include "core/page/figure_file.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// The shell command that makes a figure again.
struct FigureCommand {
  std::string text;
  /// What the command cannot express, in words, such as “the trained weights, which are not in a file”. Empty
  /// if the command makes exactly this session again.
  std::vector<std::string> left_out;
};

/// The command for the figure that a session shows, with every argument quoted where the shell requires it.
/// Exported figures carry it in their metadata. It names only what differs from the defaults of “headscope
/// render”. A batch is piped to the program by printf, so the command needs no file.
FigureCommand figure_command(const Session& session, const FigureSize& size, const std::string& out);

/// Joins the names: “the task; the batch, …”.
std::string listed(const std::vector<std::string>& left_out);

/// The metadata of a figure: the program that made the file, what the command leaves out, if anything
/// (“Command leaves out”), and the command that makes the figure again. If the memory limit cut the sentence,
/// the command has the tokens that were computed, because render refuses a sentence that is too long. There
/// is no command if these tokens alone would give a different pass.
std::vector<Metadata> metadata_of_command(const PageInputs& shown, const FigureSize& size,
                                          const std::string& out);

/// The scene that a figure shows, or why it holds none.
Metadata metadata_of_scene(const Session& session);

/// Both together.
std::vector<Metadata> metadata_of(const PageInputs& shown, const FigureSize& size, const std::string& out);

}  // namespace headscope
