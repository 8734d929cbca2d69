#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/figure_session.h"
#include "app/cli/shell_words.h"

namespace headscope {

/// The session of a command “headscope render …”, into which printf may pipe a batch of one sentence per
/// line. `loader` provides the files that it names.
inline Result<Session> session_of_command(const std::string& command, ResourceLoader loader) {
  auto words = shell_words(command);
  if (!words) return tl::unexpected(words.error());
  std::string batch;
  // A sentence may itself be a bar, so split at the last one.
  const std::vector<std::string> piped{"|", "headscope", "render"};
  const auto bar = std::find_end(words->begin(), words->end(), piped.begin(), piped.end());
  if (bar != words->end()) {
    if ((*words)[0] != "printf" || (*words)[1] != "%s\\n") return failure("this is no command of a figure");
    for (auto line = words->begin() + 2; line != bar; ++line) batch += *line + "\n";
    words->erase(words->begin(), bar + 1);
  }
  auto options = parse_render_words(std::move(*words), "the command");
  if (!options) return tl::unexpected(options.error());
  loader.batch = [&batch](const std::string&) -> Result<std::string> { return batch; };
  return figure_session(*options, loader);
}

}  // namespace headscope
