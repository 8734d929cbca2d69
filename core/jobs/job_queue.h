#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "core/jobs/job_thread.h"

namespace headscope {

/// Carries out jobs in the background, one after the other, and keeps what each of them gives until it is
/// taken. For one caller.
template <class Answer>
class JobQueue {
 public:
  /// `on_done` is called from the thread after each job.
  explicit JobQueue(std::function<void()> on_done)
      : on_done_(std::move(on_done)), thread_(JobThread::Order::every, [](const auto&) {}) {}

  /// A job must not throw.
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
  /// What a job has given since the last call.
  std::optional<Answer> take() {
    const std::lock_guard lock(mutex_);
    if (done_.empty()) return std::nullopt;
    Answer answer = std::move(done_.front());
    done_.pop_front();
    --n_open_;
    return answer;
  }
  /// Whether something is still to be taken.
  bool busy() const { return n_open_ > 0; }
  /// Waits until every job is done.
  void finish() { thread_.finish(); }

 private:
  std::function<void()> on_done_;
  int n_open_ = 0;  ///< submitted and not taken yet
  std::mutex mutex_;
  std::deque<Answer> done_;
  JobThread thread_;  ///< ends before what it uses
};

}  // namespace headscope
