#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/engine/engine.h"

namespace headscope {

/// A pass, published once and never changed: a finished one or, of a long pass, the layers that are done (see
/// Trace::complete()).
struct Outcome {
  Request request;
  std::shared_ptr<const Trace> trace;  ///< null where there is an error
  std::string error;
};

/// A thread that computes the passes that are wanted last, and keeps them while they are. A run that has
/// become stale gives up; the caller never waits.
class Worker {
 public:
  /// `on_ready` is called from the worker's thread after each publication (to wake a sleeping window).
  explicit Worker(std::function<void()> on_ready, int n_threads = 0);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Requests passes, the most urgent first; not none. What is already there is not computed again, and what
  /// is wanted no more is released.
  void submit(std::vector<Request> wanted);
  void submit(const Request& request) { submit(std::vector{request}); }
  /// The newest pass that was wanted first, which stays until another is published; null before the first.
  std::shared_ptr<const Outcome> latest() const;
  /// The pass of a request that is wanted; null where it is not there yet.
  std::shared_ptr<const Outcome> outcome(const Request& request) const;
  bool busy() const;
  int n_threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
