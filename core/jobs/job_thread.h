#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace headscope {

/// Work in slices: each call does one slice, such as a head, a layer or a training step, and returns whether
/// there are more.
using Job = std::function<bool()>;

/// Runs the rest of a job.
inline void finish(const Job& job) {
  while (job()) {
  }
}

/// While one exists, new job threads start no thread, as in a browser page opened from disk, which must not.
/// Their jobs run in run_slices() instead.
class ScopedThreadBan {
 public:
  ScopedThreadBan();
  ~ScopedThreadBan();
  ScopedThreadBan(const ScopedThreadBan&) = delete;
  ScopedThreadBan& operator=(const ScopedThreadBan&) = delete;
};

/// Runs slices of jobs without a thread in turn: at least one, and no more after this time. Returns false if
/// all jobs are done. Main thread only.
bool run_slices(std::chrono::milliseconds time);

/// A thread that runs jobs in order. An exception ends only the job that threw it.
class JobThread {
 public:
  /// How a new job affects earlier ones.
  enum class Order {
    newest,  ///< It replaces them: running and waiting jobs are dropped.
    every    ///< It runs after them.
  };

  /// `on_fault` is called on the thread with the message of an exception that a job threw. It must not throw.
  JobThread(Order order, std::function<void(const std::string&)> on_fault);
  /// Drops all jobs. With a thread, waits for the running slice.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  void submit(Job job);
  /// Drops the rest of the running job, and waiting jobs.
  void cancel();
  /// Waits until no job runs or waits. Must not be called from a job.
  void finish();
  /// Waits at most this long. Returns false if jobs are left. Must not be called from a job.
  bool finish_within(std::chrono::milliseconds timeout);
  /// Whether a job runs or waits.
  bool busy() const;
  /// Whether jobs run beside the main thread.
  bool has_thread() const;
  /// Set when the running job is dropped; a long slice should then return soon. One object for all jobs of
  /// this thread, reset when a job begins.
  const std::atomic<bool>& stop() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace headscope
