#include "core/tensor/parallel.h"

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <thread>
#include <unsupported/Eigen/CXX11/ThreadPool>

namespace headscope {

struct TaskPool::State {
  int n_threads = 1;
  std::unique_ptr<Eigen::ThreadPool> helpers;  ///< n_threads − 1 of them; null for 1
};

TaskPool::TaskPool(int n_threads) : state_(std::make_unique<State>()) {
  const int machine = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  state_->n_threads = n_threads > 0 ? n_threads : machine;
  if (state_->n_threads > 1) {
    constexpr bool allow_spinning = false;  // an idle program uses no processor time
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
  std::atomic<int> next{0};
  const auto work = [&next, &task, n] {
    for (int i = next.fetch_add(1); i < n; i = next.fetch_add(1)) task(i);
  };
  Eigen::Barrier done(static_cast<unsigned>(n_helpers));
  for (int i = 0; i < n_helpers; ++i) {
    state_->helpers->Schedule([&work, &done] {
      work();
      done.Notify();
    });
  }
  work();
  done.Wait();
}

}  // namespace headscope
