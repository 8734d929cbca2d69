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

/// Does all that is left of a job.
inline void finish(const Job& job) {
  while (job()) {
  }
}

/// As long as one exists, job threads that are made do not start threads, as in a page of a browser that was
/// opened from disk, which may not. Their jobs run in run_slices() instead.
class WithoutThreads {
 public:
  WithoutThreads();
  ~WithoutThreads();
  WithoutThreads(const WithoutThreads&) = delete;
  WithoutThreads& operator=(const WithoutThreads&) = delete;
};

/// Runs slices of the jobs that have no thread, in turn: at least one, and no more after this time. Returns
/// false if all jobs are done. Only the main thread may call it.
bool run_slices(std::chrono::milliseconds time);

/// A thread that runs one job after the other. An exception ends only the job that threw it.
class JobThread {
 public:
  /// How a new job affects earlier ones.
  enum class Order {
    newest,  ///< It replaces them: the rest of a running job and waiting jobs are dropped.
    every    ///< It runs after them.
  };

  /// `on_fault` is called on the thread with a description of what a job threw. It must not throw itself.
  JobThread(Order order, std::function<void(const std::string&)> on_fault);
  /// Drops all jobs. With threads, it waits for the slice that is running.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  void submit(Job job);
  /// Drops the rest of the running job, and waiting jobs.
  void cancel();
  /// Waits until no job runs or waits. Must not be called from a job.
  void finish();
  /// Waits at most this long. Returns false if a job still runs or waits then. Must not be called from a job.
  bool finish_within(std::chrono::milliseconds patience);
  /// Whether a job runs or waits.
  bool busy() const;
  /// Whether jobs run beside the main thread.
  bool is_thread() const;
  /// True once the running job is dropped; a long slice should return soon after that. It is the same object
  /// for all jobs of this thread, and false when a job begins.
  const std::atomic<bool>& stop() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace headscope
