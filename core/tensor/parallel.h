#pragma once

#include <functional>
#include <memory>

namespace headscope {

/// Products smaller than this many multiplications take less time than waking a thread.
inline constexpr double parallel_threshold = 4e6;

/// A pool of threads that share the work of loops. The calling thread works too, so a pool of 1 starts no
/// thread.
class TaskPool {
 public:
  /// If `n_threads` is 0, the pool has as many threads as the machine can run at once.
  explicit TaskPool(int n_threads = 0);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  int size() const;
  /// Runs task(0) … task(n − 1), each once and in no particular order, and returns when all are done. If a
  /// task throws on any thread, the tasks that have not begun are skipped, those that are running are
  /// awaited, and the first exception is rethrown here. Nothing uses `task` any more when this returns or
  /// throws. A loop within a task runs on the task's thread.
  void for_each(int n, const std::function<void(int)>& task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The threads that read and compute the numbers of all passes on demand. Any thread may call it.
TaskPool& shared_pool();

}  // namespace headscope
