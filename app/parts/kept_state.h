#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/lesson/lesson.h"

namespace headscope {

/// The panels to the left and right of the view. Widths are in design units.
struct SidePanels {
  static constexpr float usual_controls = 248.0F;
  static constexpr float usual_inspector = 296.0F;
  static constexpr float least = 200.0F;
  static constexpr float most = 640.0F;

  bool has_controls = false, has_inspector = true;  ///< false if folded away
  float controls = usual_controls, inspector = usual_inspector;
  bool operator==(const SidePanels&) const = default;
};

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
  LessonProgress lesson_progress;
};

/// A session left behind by a program that was killed.
struct Leftover {
  std::filesystem::path folder;
  std::string sentence;
  std::filesystem::file_time_type written;
};

/// The list is shared because it holds whole sentences and is passed on in every frame. It is never null.
using Leftovers = std::shared_ptr<const std::vector<Leftover>>;

/// The user's decision about one of them.
struct LeftoverAnswer {
  std::filesystem::path folder;  ///< the folder of the session
  bool opens = false;            ///< whether to open the session; otherwise it is discarded
};

}  // namespace headscope
