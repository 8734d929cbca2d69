#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/figure_session.h"
#include "app/cli/shell_words.h"

namespace headscope {

/// The session of the figure that a command makes: “headscope render …”, to which printf may pipe a batch
/// with one sentence per line. `sources` provides the files that the command names.
inline Result<Session> session_of_command(const std::string& command, Sources sources) {
  auto words = shell_words(command);
  if (!words) return tl::unexpected(words.error());
  std::string batch;
  // A sentence may itself be a bar, so the last bar begins the command.
  const std::vector<std::string> piped{"|", "headscope", "render"};
  const auto bar = std::find_end(words->begin(), words->end(), piped.begin(), piped.end());
  if (bar != words->end()) {
    if ((*words)[0] != "printf" || (*words)[1] != "%s\\n") return failure("this is no command of a figure");
    for (auto line = words->begin() + 2; line != bar; ++line) batch += *line + "\n";
    words->erase(words->begin(), bar + 1);
  }
  auto options = options_of_words(std::move(*words), "the command");
  if (!options) return tl::unexpected(options.error());
  sources.batch = [&batch](const std::string&) -> Result<std::string> { return batch; };
  return session_of_figure_options(*options, sources);
}

}  // namespace headscope
