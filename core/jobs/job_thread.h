#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace headscope {

/// A thread of its own that carries out one job after the other. Whatever a job throws ends that job alone.
class JobThread {
 public:
  /// What a new job does to those before it.
  enum class Order {
    newest,  ///< takes their place: one that runs is asked to stop, one that waits is dropped
    every    ///< comes after them
  };
  /// A job should return soon after `stop` becomes true.
  using Job = std::function<void(const std::atomic<bool>& stop)>;

  /// `on_fault` is called from the thread with what a job threw, in words, and must not throw.
  JobThread(Order order, std::function<void(const std::string&)> on_fault);
  /// Asks the running job to stop and waits for it.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  /// Jobs begin with `stop` false.
  void submit(Job job);
  /// Asks the running job to stop and drops those that wait.
  void cancel();
  /// Waits until nothing runs or waits. Not from a job.
  void finish();
  /// The same for so long at most; false where something still runs then. From any other thread.
  bool finish_within(std::chrono::milliseconds patience);
  /// Whether a job runs or waits.
  bool busy() const;
  /// What the running job is asked by; the same object for all jobs of this thread.
  const std::atomic<bool>& stop() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
