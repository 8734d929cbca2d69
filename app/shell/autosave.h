#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/parts/leftover.h"
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

  /// The sessions of killed programs, the newest first.
  const Leftovers& leftovers() const { return leftovers_; }
  /// Removes what was left in this folder.
  void discard_leftover(const std::filesystem::path& folder);
  /// What was left in this folder has been opened: it is offered no more, and removed as soon as the session
  /// is kept.
  void take_leftover(const std::filesystem::path& folder);
  /// It is about to be opened: it is offered no more until the next start.
  void leave_leftover(const std::filesystem::path& folder);

  /// The session as it is now, which rescue() keeps. To be called whenever it changes.
  void note(const History::Step& session);
  /// Writes what was noted last, if that is not written yet, at once: the program is about to be ended. Waits
  /// so long at most. From any thread.
  void rescue(std::chrono::milliseconds patience);

  /// To be called when the session is kept elsewhere: nothing is left behind, and nothing is to be rescued.
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
  double first_change_ = 0.0;  ///< since it was last written
  std::mutex mutex_;
  History::Step noted_;                         ///< to be rescued; null: nothing
  History::Step written_;                       ///< that is on the disk, or what the program began with
  std::optional<std::filesystem::path> taken_;  ///< what was left and is open now
  std::string complaint_;
  bool has_complained_ = false;
  JobThread thread_;  ///< ends before what it uses
};

}  // namespace headscope
