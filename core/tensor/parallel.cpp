#include "core/tensor/parallel.h"

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <unsupported/Eigen/CXX11/ThreadPool>

namespace headscope {

namespace {

/// A loop whose tasks several threads take in turn.
class SharedLoop {
 public:
  SharedLoop(int n, const std::function<void(int)>& task) : n_(n), task_(task) {}

  /// Runs tasks until none is left. Keeps the first exception instead of throwing it: an exception must not
  /// leave a thread of the pool, and must not unwind data that other threads still use.
  void work() noexcept {
    try {
      for (int i = next_.fetch_add(1); i < n_ && !failed_.load(); i = next_.fetch_add(1)) task_(i);
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }

  /// Rethrows the kept exception. Call it only when work() has returned on every thread.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  int n_;
  const std::function<void(int)>& task_;
  std::atomic<int> next_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;  ///< Written only by the thread that sets failed_.
};

}  // namespace

struct TaskPool::State {
  int n_threads = 1;
  std::unique_ptr<Eigen::ThreadPool> helpers;  ///< n_threads − 1 threads. Null if n_threads is 1.
};

TaskPool::TaskPool(int n_threads) : state_(std::make_unique<State>()) {
  const int machine = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  state_->n_threads = n_threads > 0 ? n_threads : machine;
  if (state_->n_threads > 1) {
    constexpr bool allow_spinning = false;  // An idle program must use no processor time.
    state_->helpers = std::make_unique<Eigen::ThreadPool>(state_->n_threads - 1, allow_spinning);
  }
}

TaskPool::~TaskPool() = default;

int TaskPool::size() const {
  return state_->n_threads;
}

void TaskPool::for_each(int n, const std::function<void(int)>& task) {
  const int n_helpers = state_->helpers ? std::min(n, state_->n_threads) - 1 : 0;
  if (n_helpers <= 0) {
    for (int i = 0; i < n; ++i) task(i);
    return;
  }
  SharedLoop loop(n, task);
  Eigen::Barrier done(static_cast<unsigned>(n_helpers));
  for (int i = 0; i < n_helpers; ++i) {
    // The two references fit into the std::function itself, so scheduling allocates nothing and cannot throw
    // halfway.
    state_->helpers->Schedule([&loop, &done] {
      loop.work();
      done.Notify();
    });
  }
  loop.work();
  done.Wait();
  loop.rethrow();
}

}  // namespace headscope
