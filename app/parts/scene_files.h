#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

/// The scene that is open, and those that were.
struct SceneFiles {
  static constexpr std::size_t most = 8;

  std::string open;                 ///< the file that Save writes; empty: none yet
  std::vector<std::string> recent;  ///< the last one first

  /// A file that was opened or written.
  void note(const std::string& file) {
    std::erase(recent, file);
    recent.insert(recent.begin(), file);
    if (recent.size() > most) recent.resize(most);
  }
};

}  // namespace headscope
