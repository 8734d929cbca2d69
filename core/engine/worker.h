#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/engine/engine.h"

namespace headscope {

/// A published pass, immutable. It is complete or, for a long pass, consists of the finished layers (see
/// Trace::complete()).
struct Outcome {
  Request request;
  std::shared_ptr<const Trace> trace;  ///< Null if there is an error.
  std::string error;
};

/// A thread that computes the passes of the last request, and keeps them while they are requested. Passes
/// that no longer are, are cancelled. Never blocks the caller.
class Worker {
 public:
  /// `on_ready` is called on the worker's thread after each publication, to wake a sleeping window.
  explicit Worker(std::function<void()> on_ready, int n_threads = 0);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Requests at least one pass, the most urgent first. Reuses existing ones and releases those that are no
  /// longer requested.
  void submit(std::vector<Request> requested);
  void submit(const Request& request) { submit(std::vector{request}); }
  /// The newest pass that was requested as the most urgent. Stays until another is published, but becomes an
  /// error if a file of its model changes. Null before the first.
  std::shared_ptr<const Outcome> latest() const;
  /// The pass of a request. Becomes an error if a file of its model changes. Null if it is not ready or not
  /// requested.
  std::shared_ptr<const Outcome> outcome(const Request& request) const;
  bool busy() const;
  int n_threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
