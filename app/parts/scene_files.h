#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

/// The open scene and the recent ones.
struct SceneFiles {
  static constexpr std::size_t most = 8;

  std::string open;                 ///< the file that Save writes; empty if there is none yet
  std::vector<std::string> recent;  ///< the most recent first

  /// Records a file that was opened or written.
  void note(const std::string& file) {
    std::erase(recent, file);
    recent.insert(recent.begin(), file);
    if (recent.size() > most) recent.resize(most);
  }
};

}  // namespace headscope
