#pragma once

#include <functional>
#include <memory>

namespace headscope {

/// Below this many multiplications, a product is faster than waking a thread.
inline constexpr double parallel_threshold = 4e6;

/// A thread pool for parallel loops. The calling thread participates, so a pool of size 1 starts no thread.
class ThreadPool {
 public:
  /// If `n_threads` is 0, uses all hardware threads.
  explicit ThreadPool(int n_threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const;
  /// Runs task(0) … task(n − 1) once each, in any order, and blocks until all are done. If a task throws,
  /// skips tasks that have not started, waits for those that are running, and rethrows the first exception.
  /// `task` is not used after this returns or throws. Nested loops run on the thread of their task.
  void for_each(int n, const std::function<void(int)>& task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The pool that reads and computes the numbers of all passes on demand. Thread-safe.
ThreadPool& shared_pool();

}  // namespace headscope
