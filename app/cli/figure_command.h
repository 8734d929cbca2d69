#pragma once

#include <string>
#include <vector>

#include "core/session/shown_figure.h"

namespace headscope {

/// The shell command that makes a figure again.
struct FigureCommand {
  std::string text;
  /// What it cannot say, in words: “the trained weights, which are in no file”. Empty: the command makes just
  /// this session again.
  std::vector<std::string> left_out;
};

/// The command for the figure that a session shows, every argument quoted where the shell needs it: what
/// exported figures carry in their metadata. It names only what differs from what “headscope render” takes
/// without it. A batch is written to the program by printf, so that the command needs no file.
FigureCommand figure_command(const Session& session, const FigureSize& size, const std::string& out);

/// “the task; the batch, …”
std::string listed(const std::vector<std::string>& left_out);

}  // namespace headscope
