#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

inline constexpr std::size_t most_recent_files = 8;

/// Puts a file that was opened or written before the others in a list of recent ones.
inline void note_recent(std::vector<std::string>& recent, const std::string& file) {
  std::erase(recent, file);
  recent.insert(recent.begin(), file);
  if (recent.size() > most_recent_files) recent.resize(most_recent_files);
}

/// The open scene, and the recent scenes and lessons.
struct SceneFiles {
  std::string open;                         ///< the file that Save writes; empty if there is none yet
  std::vector<std::string> recent;          ///< the most recent first
  std::vector<std::string> recent_lessons;  ///< the same for lessons of the user's own
};

}  // namespace headscope
