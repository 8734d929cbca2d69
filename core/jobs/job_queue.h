#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/caught.h"
#include "core/jobs/job_thread.h"
#include "core/slices.h"

namespace headscope {

/// Runs jobs in the background in order, and keeps their results until they are taken. For a single caller.
template <class Answer>
class JobQueue {
 public:
  using Find = std::function<Answer()>;
  /// Makes the answer of a job that threw from the message of the exception, which is still being handled.
  using Refuse = std::function<Answer(const std::string& problem)>;

  /// `on_done` is called on the background thread after each job.
  explicit JobQueue(std::function<void()> on_done)
      : on_done_(std::move(on_done)), thread_(JobThread::Order::every, [](const auto&) {}) {}

  /// Adds a job, which is one slice. If it throws, `refuse` makes the answer.
  void submit(Find job, Refuse refuse) { submit(whole(std::move(job)), std::move(refuse)); }
  /// Adds a job in slices.
  void submit(Slices<Answer> job, Refuse refuse) {
    // Allocated before the job starts, so that delivering the answer needs no memory.
    const auto place = std::make_shared<PendingAnswer>();
    open_.push_back(place);
    try {
      const auto slices = std::make_shared<Slices<Answer>>(std::move(job));
      thread_.submit([this, place, slices, refuse = std::move(refuse)] {
        std::optional<Answer> answer;
        try {
          answer = next_answer(*slices, refuse);
          if (!answer) {
            place->share = slices->share();
            return true;
          }
        } catch (...) {
          // Not even the error fitted into memory.
        }
        {
          const std::lock_guard lock(mutex_);
          place->answer = std::move(answer);
          place->is_done = true;
        }
        on_done_();
        return false;
      });
    } catch (...) {
      open_.pop_back();
      throw;
    }
  }
  /// Returns the oldest result that has not been taken. Empty if there is none.
  std::optional<Answer> take() {
    const std::lock_guard lock(mutex_);
    while (!open_.empty() && open_.front()->is_done) {
      const std::shared_ptr<PendingAnswer> place = std::move(open_.front());
      open_.pop_front();
      if (place->answer) return std::move(place->answer);
    }
    return std::nullopt;
  }
  /// Whether some result has not been taken yet.
  bool busy() const { return !open_.empty(); }
  /// Progress, from 0 to 1, of the job whose result is taken next. 0 if there is none, or if it is one slice.
  double share() const { return open_.empty() ? 0.0 : open_.front()->share.load(); }
  /// Waits until all jobs are done.
  void finish() { thread_.finish(); }

 private:
  struct PendingAnswer {
    std::optional<Answer> answer;
    bool is_done = false;
    std::atomic<double> share{0.0};
  };

  static Slices<Answer> whole(Find job) { co_return job(); }
  /// Runs a slice. Empty if there are more.
  static std::optional<Answer> next_answer(Slices<Answer>& job, const Refuse& refuse) {
    try {
      if (job.next()) return std::nullopt;
      return job.take();
    } catch (...) {
      return refuse(current_exception_message());
    }
  }

  std::function<void()> on_done_;
  std::deque<std::shared_ptr<PendingAnswer>> open_;  ///< One for each result that has not been taken.
  std::mutex mutex_;                                 ///< Guards the contents of the places.
  /// Declared last, so that the thread ends before the members that it uses are destroyed.
  JobThread thread_;
};

}  // namespace headscope
