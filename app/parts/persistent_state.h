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
  static constexpr float default_controls_width = 248.0F;
  static constexpr float default_inspector_width = 296.0F;
  static constexpr float least = 200.0F;
  static constexpr float most = 640.0F;

  bool has_controls = false, has_inspector = true;  ///< false if folded away
  float controls = default_controls_width, inspector = default_inspector_width;
  bool operator==(const SidePanels&) const = default;
};

inline constexpr std::size_t max_recent_files = 8;

inline const std::string& file_of(const std::string& file) {
  return file;
}
inline const std::string& file_of(const UserLesson& lesson) {
  return lesson.file;
}

/// Moves a file or lesson to the front of a list of recent ones.
template <class Recent>
void add_recent(std::vector<Recent>& recent, const Recent& entry) {
  std::erase_if(recent, [&](const Recent& each) { return file_of(each) == file_of(entry); });
  recent.insert(recent.begin(), entry);
  if (recent.size() > max_recent_files) recent.resize(max_recent_files);
}

/// Holds the open scene, the recent scenes, and the user's own lessons.
struct SceneFiles {
  std::string open;                      ///< the file that Save writes; empty if there is none yet
  std::vector<std::string> recent;       ///< the most recent first
  std::vector<UserLesson> user_lessons;  ///< most recent first
  LessonProgress lesson_progress;
};

/// A session that a killed process has left behind.
struct RecoverableSession {
  std::filesystem::path folder;
  std::string sentence;
  std::filesystem::file_time_type written;
};

/// Shared because every frame gets the list. Never null.
using RecoverableSessions = std::shared_ptr<const std::vector<RecoverableSession>>;

/// The user's decision about one of them.
struct RecoveryChoice {
  std::filesystem::path folder;  ///< the folder of the session
  bool opens = false;            ///< whether to open the session; otherwise it is discarded
};

}  // namespace headscope
