#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace headscope {

/// A thread that runs one job after the other. An exception ends only the job that threw it.
class JobThread {
 public:
  /// How a new job affects earlier ones.
  enum class Order {
    newest,  ///< It replaces them: a running job is asked to stop, and a waiting job is dropped.
    every    ///< It runs after them.
  };
  /// A job. It should return soon after `stop` becomes true.
  using Job = std::function<void(const std::atomic<bool>& stop)>;

  /// `on_fault` is called on the thread with a description of what a job threw. It must not throw itself.
  JobThread(Order order, std::function<void(const std::string&)> on_fault);
  /// Asks the running job to stop and waits for it.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  /// Adds a job. `stop` is false when it begins.
  void submit(Job job);
  /// Asks the running job to stop and drops waiting jobs.
  void cancel();
  /// Waits until no job runs or waits. Must not be called from a job.
  void finish();
  /// Waits at most this long. Returns false if a job still runs or waits then. Must not be called from a job.
  bool finish_within(std::chrono::milliseconds patience);
  /// Whether a job runs or waits.
  bool busy() const;
  /// The flag that asks the running job to stop. It is the same object for all jobs of this thread.
  const std::atomic<bool>& stop() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
