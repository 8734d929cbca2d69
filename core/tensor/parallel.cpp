#include "core/tensor/parallel.h"

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <unsupported/Eigen/CXX11/ThreadPool>
#include <utility>

namespace headscope {

namespace {

/// Whether this thread runs a task of a loop, in which case nested loops run serially.
thread_local bool is_in_task = false;

/// A loop whose tasks are distributed dynamically over threads.
class SharedLoop {
 public:
  SharedLoop(int n, const std::function<void(int)>& task) : n_(n), task_(task) {}

  /// Runs tasks until none is left. Stores the first exception instead of throwing it, because it must
  /// neither escape a pool thread nor unwind data that other threads still use.
  void work() noexcept {
    const bool was_in_task = std::exchange(is_in_task, true);
    ++n_working_;
    try {
      for (int i = next_.fetch_add(1); i < n_ && !failed_.load(); i = next_.fetch_add(1)) task_(i);
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
    if (--n_working_ == 0) n_working_.notify_all();
    is_in_task = was_in_task;
  }

  /// Waits for tasks running on other threads, and rethrows the stored exception. Call it after work(). Must
  /// not wait for threads that have not started: they will find no task, and may be waiting for the caller.
  void finish() {
    for (int n = n_working_; n > 0; n = n_working_) n_working_.wait(n);
    if (first_) std::rethrow_exception(first_);
  }

 private:
  int n_;
  const std::function<void(int)>& task_;  ///< Gone once the loop is finished.
  std::atomic<int> next_{0};
  std::atomic<int> n_working_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;  ///< Written only by the thread that sets failed_.
};

}  // namespace

struct ThreadPool::State {
  int n_threads = 1;
  std::unique_ptr<Eigen::ThreadPool> helpers;  ///< n_threads − 1 threads. Null if n_threads is 1.
};

ThreadPool::ThreadPool(int n_threads) : state_(std::make_unique<State>()) {
  const int machine = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  state_->n_threads = n_threads > 0 ? n_threads : machine;
  if (state_->n_threads > 1) {
    constexpr bool allow_spinning = false;  // An idle program must not use CPU time.
    state_->helpers = std::make_unique<Eigen::ThreadPool>(state_->n_threads - 1, allow_spinning);
  }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::size() const {
  return state_->n_threads;
}

void ThreadPool::for_each(int n, const std::function<void(int)>& task) {
  const int n_helpers = state_->helpers && !is_in_task ? std::min(n, state_->n_threads) - 1 : 0;
  if (n_helpers <= 0) {
    for (int i = 0; i < n; ++i) task(i);
    return;
  }
  const auto loop = std::make_shared<SharedLoop>(n, task);
  try {
    for (int i = 0; i < n_helpers; ++i) state_->helpers->Schedule([loop] { loop->work(); });
  } catch (...) {
    // Continue with fewer threads if memory is short.
  }
  loop->work();
  loop->finish();
}

ThreadPool& shared_pool() {
  static ThreadPool pool;
  return pool;
}

}  // namespace headscope
