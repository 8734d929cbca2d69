#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/io/owned_folder.h"
#include "core/jobs/job_thread.h"
#include "core/session/history.h"

namespace headscope {

/// Keeps the session on the disk while the program runs, with the weights that were trained in the window,
/// and finds what a program that was killed has left. Files are written in the background.
class Autosave {
 public:
  /// `folder`: where programs have a folder each; empty: nothing is kept.
  explicit Autosave(std::filesystem::path folder);

  /// To be called every frame, with the time in seconds: what has not changed for a second is written, and
  /// what changes all the time every few. In how many seconds to call it again at the latest; negative: any
  /// time.
  double keep(const History::Step& session, double now);
  /// Why the session could not be kept; once, and empty where all is well.
  std::string take_complaint();

  /// The folder of a killed program, the newest; nothing if there is none, or if it was answered.
  const std::optional<std::filesystem::path>& leftover() const { return leftover_; }
  /// Removes what was left, and looks for the one before it.
  void discard_leftover();
  /// What was left in this folder has been opened: it is removed as soon as the session is kept.
  void take_leftover(const std::filesystem::path& folder);
  /// It is not offered any more, until the next start.
  void leave_leftover() { leftover_.reset(); }

  /// To be called when the session is kept elsewhere: nothing is left behind.
  void finish();

 private:
  void save(const History::Step& session);

  std::filesystem::path folder_;
  std::optional<OwnedFolder> own_;
  std::optional<std::filesystem::path> leftover_;
  History::Step seen_;
  History::Step saved_;
  double changed_ = 0.0;       ///< when the session last changed
  double first_change_ = 0.0;  ///< since it was last written
  std::mutex mutex_;
  std::optional<std::filesystem::path> taken_;  ///< what was left and is open now
  std::string complaint_;
  bool has_complained_ = false;
  JobThread thread_;  ///< ends before what it uses
};

}  // namespace headscope
