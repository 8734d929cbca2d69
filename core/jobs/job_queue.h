#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "core/jobs/job_thread.h"

namespace headscope {

/// Runs jobs in the background, one after the other, and keeps their results until they are taken. Intended
/// for a single caller.
template <class Answer>
class JobQueue {
 public:
  /// `on_done` is called on the background thread after each job.
  explicit JobQueue(std::function<void()> on_done)
      : on_done_(std::move(on_done)), thread_(JobThread::Order::every, [](const auto&) {}) {}

  /// Adds a job, which must not throw.
  void submit(std::function<Answer()> job) {
    ++n_open_;
    thread_.submit([this, job = std::move(job)](const auto&) {
      Answer answer = job();
      {
        const std::lock_guard lock(mutex_);
        done_.push_back(std::move(answer));
      }
      on_done_();
    });
  }
  /// Returns the oldest result that has not been taken. Empty if there is none.
  std::optional<Answer> take() {
    const std::lock_guard lock(mutex_);
    if (done_.empty()) return std::nullopt;
    Answer answer = std::move(done_.front());
    done_.pop_front();
    --n_open_;
    return answer;
  }
  /// Whether some result has not been taken yet.
  bool busy() const { return n_open_ > 0; }
  /// Waits until all jobs are done.
  void finish() { thread_.finish(); }

 private:
  std::function<void()> on_done_;
  int n_open_ = 0;  ///< The number of jobs whose results have not been taken.
  std::mutex mutex_;
  std::deque<Answer> done_;
  /// Declared last, so that the thread ends before the members that it uses are destroyed.
  JobThread thread_;
};

}  // namespace headscope
