#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/lesson/lesson.h"

namespace headscope {

inline constexpr std::size_t most_recent_files = 8;

/// Puts a file that was opened or written before the others in a list of recent ones.
inline void note_recent(std::vector<std::string>& recent, const std::string& file) {
  std::erase(recent, file);
  recent.insert(recent.begin(), file);
  if (recent.size() > most_recent_files) recent.resize(most_recent_files);
}

/// The same for a list of lessons.
inline void note_recent(std::vector<OwnLesson>& recent, const OwnLesson& lesson) {
  std::erase_if(recent, [&](const OwnLesson& each) { return each.file == lesson.file; });
  recent.insert(recent.begin(), lesson);
  if (recent.size() > most_recent_files) recent.resize(most_recent_files);
}

/// The open scene, the recent scenes, and the lessons of the user's own.
struct SceneFiles {
  std::string open;                    ///< the file that Save writes; empty if there is none yet
  std::vector<std::string> recent;     ///< the most recent first
  std::vector<OwnLesson> own_lessons;  ///< the one opened last first
};

}  // namespace headscope
