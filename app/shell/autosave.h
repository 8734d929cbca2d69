#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/parts/kept_state.h"
#include "core/jobs/job_thread.h"
#include "core/session/history.h"
#include "core/system/owned_folder.h"

namespace headscope {

/// Keeps the session on disk while the program runs, with weights that were trained in the window, and finds
/// the sessions of programs that were killed. Files are written in the background.
class Autosave {
 public:
  /// `folder` is where each program has a folder. If it is empty, nothing is kept.
  explicit Autosave(std::filesystem::path folder);

  /// Call this in every frame with the time in seconds. It writes a session that has not changed for a
  /// second, and one that changes continually every few seconds. Returns the number of seconds within which
  /// it must be called again. A negative result means that there is no limit.
  double keep(const History::Step& session, double now);
  /// The reason why the session could not be kept. It is reported once, and is empty if there is no problem.
  std::string take_complaint();

  /// The sessions of killed programs, the newest first.
  const Leftovers& leftovers() const { return leftovers_; }
  /// Removes the session in this folder.
  void discard_leftover(const std::filesystem::path& folder);
  /// Records that the session in this folder has been opened. It is no longer offered, and is removed as soon
  /// as the current session is kept.
  void take_leftover(const std::filesystem::path& folder);
  /// Stops offering the session in this folder until the next start, because it is about to be opened.
  void leave_leftover(const std::filesystem::path& folder);

  /// Records the current session for rescue(). Call this whenever it changes.
  void note(const History::Step& session);
  /// Writes the recorded session at once if it has not been written yet, because the program is about to be
  /// ended. Waits at most `patience`. May be called from any thread.
  void rescue(std::chrono::milliseconds patience);

  /// Call this when the session is kept elsewhere. Nothing is left behind or rescued afterwards.
  void finish();

 private:
  void save(const History::Step& session);
  void write(const History::Step& session);

  std::filesystem::path folder_;
  std::optional<OwnedFolder> own_;
  Leftovers leftovers_ = std::make_shared<const std::vector<Leftover>>();
  History::Step seen_;
  History::Step saved_;
  double changed_ = 0.0;       ///< when the session last changed
  double first_change_ = 0.0;  ///< the first change since it was last written
  std::mutex mutex_;
  History::Step noted_;    ///< to be rescued; null if there is nothing to rescue
  History::Step written_;  ///< the session on disk, or the one that the program began with
  std::optional<std::filesystem::path> taken_;  ///< the folder of the leftover session that is now open
  std::string complaint_;
  bool has_complained_ = false;
  JobThread thread_;  ///< last, so that it ends before what it uses
};

}  // namespace headscope
