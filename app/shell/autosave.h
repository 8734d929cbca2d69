#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/parts/persistent_state.h"
#include "core/jobs/job_thread.h"
#include "core/session/history.h"
#include "core/system/owned_folder.h"

namespace headscope {

/// Autosaves the session, including weights trained in the window, and finds the sessions of killed
/// processes. Writes in the background.
class Autosave {
 public:
  /// Each process gets a folder in `folder`. If it is empty, nothing is saved.
  explicit Autosave(std::filesystem::path folder);

  /// Call this every frame with the time in seconds. Saves are debounced by a second; a session that changes
  /// continually is saved every few seconds. Returns the seconds until the next call is due; negative: none
  /// is.
  double keep(const History::Step& session, double now);
  /// Why the session could not be saved, reported once; otherwise empty.
  std::string take_complaint();

  /// The sessions of killed processes, newest first.
  const RecoverableSessions& recoverable_sessions() const { return recoverable_sessions_; }
  /// Removes the session in this folder.
  void discard_recoverable(const std::filesystem::path& folder);
  /// Records that the session in this folder has been opened. It is no longer offered, and is removed once
  /// the current session is saved.
  void adopt_recoverable(const std::filesystem::path& folder);
  /// Stops offering the session in this folder until the next start, because it is about to be opened.
  void withdraw_recoverable(const std::filesystem::path& folder);

  /// Records the current session for rescue(). Call this whenever it changes.
  void note(const History::Step& session);
  /// Saves the recorded session now, if necessary, because the process is about to be killed. Waits at most
  /// `timeout`. Thread-safe.
  void rescue(std::chrono::milliseconds timeout);

  /// Call this when the session is saved elsewhere. Removes the autosaved session; rescue() then does
  /// nothing.
  void finish();

 private:
  void save(const History::Step& session);
  void write(const History::Step& session);

  std::filesystem::path folder_;
  std::optional<OwnedFolder> own_;
  RecoverableSessions recoverable_sessions_ = std::make_shared<const std::vector<RecoverableSession>>();
  History::Step seen_;
  History::Step saved_;
  double changed_ = 0.0;       ///< when the session last changed
  double first_change_ = 0.0;  ///< the first change since the last save
  std::mutex mutex_;
  History::Step noted_;                         ///< what rescue() saves; null: nothing
  History::Step written_;                       ///< the session on disk, or the initial one
  std::optional<std::filesystem::path> taken_;  ///< the folder of the leftover session that is now open
  std::string complaint_;
  bool has_complained_ = false;
  JobThread thread_;  ///< last, so that it ends before what it uses
};

}  // namespace headscope
