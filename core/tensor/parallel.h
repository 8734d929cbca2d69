#pragma once

#include <functional>
#include <memory>

namespace headscope {

/// Products smaller than this many multiplications take less time than waking a thread.
inline constexpr double parallel_threshold = 4e6;

/// Threads that share loops. The calling thread works too, so a pool of 1 starts no thread at all.
class TaskPool {
 public:
  /// `n_threads` 0: as many as the machine has.
  explicit TaskPool(int n_threads = 0);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  int size() const;
  /// Runs task(0) … task(n − 1), each once, in no particular order; returns when all are done. Where a task
  /// throws, on whatever thread, those not yet begun are left out, those under way are waited for, and the
  /// first exception is thrown here: when this returns or throws, nothing uses `task` any more.
  void for_each(int n, const std::function<void(int)>& task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
