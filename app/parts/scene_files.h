#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/lesson/lesson.h"

namespace headscope {

inline constexpr std::size_t most_recent_files = 8;

inline const std::string& file_of(const std::string& file) {
  return file;
}
inline const std::string& file_of(const OwnLesson& lesson) {
  return lesson.file;
}

/// Puts a file or a lesson that was opened or written before the others in a list of recent ones.
template <class Entry>
void note_recent(std::vector<Entry>& recent, const Entry& entry) {
  std::erase_if(recent, [&](const Entry& each) { return file_of(each) == file_of(entry); });
  recent.insert(recent.begin(), entry);
  if (recent.size() > most_recent_files) recent.resize(most_recent_files);
}

/// Holds the open scene, the recent scenes, and the user's own lessons.
struct SceneFiles {
  std::string open;                    ///< the file that Save writes; empty if there is none yet
  std::vector<std::string> recent;     ///< the most recent first
  std::vector<OwnLesson> own_lessons;  ///< the one opened last first
};

}  // namespace headscope
