#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "core/jobs/job_thread.h"
#include "core/scene/effect.h"
#include "core/scene/event.h"

namespace headscope {

/// Reads the files that a scene asks for, one after the other and in the background.
class FileReader {
 public:
  /// `on_read` is called from the reading thread.
  explicit FileReader(std::function<void()> on_read);

  void read(const ReadTaskModel& effect);
  void read(const ReadFile& effect);
  void read(const ReadKept& effect);
  /// What was read since the last call.
  std::optional<Event> take();
  /// Whether something is still to be taken.
  bool busy() const { return n_open_ > 0; }

 private:
  void submit(std::function<Event()> how, std::function<Event(const std::string&)> refused);

  std::function<void()> on_read_;
  int n_open_ = 0;  ///< asked for and not taken yet
  std::mutex mutex_;
  std::deque<Event> found_;
  JobThread thread_;  ///< ends before what it uses
};

}  // namespace headscope
