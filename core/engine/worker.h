#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/engine/engine.h"

namespace headscope {

/// A pass that is published once and never changed. It is finished or, for a long pass, consists of the
/// layers that are done (see Trace::complete()).
struct Outcome {
  Request request;
  std::shared_ptr<const Trace> trace;  ///< Null if there is an error.
  std::string error;
};

/// A thread that computes the passes that were requested last, and keeps them while they are wanted. A pass
/// that is no longer wanted gives up. The caller never waits.
class Worker {
 public:
  /// `on_ready` is called from the worker's thread after each publication, to wake a sleeping window.
  explicit Worker(std::function<void()> on_ready, int n_threads = 0);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Requests passes, the most urgent first; there must be at least one. Passes that are already there are
  /// not computed again, and those that are no longer wanted are released.
  void submit(std::vector<Request> wanted);
  void submit(const Request& request) { submit(std::vector{request}); }
  /// The newest pass among those that were requested as the most urgent. It stays until another is published,
  /// but becomes an error if a file of its model changes. Null before the first.
  std::shared_ptr<const Outcome> latest() const;
  /// The pass of a wanted request, which also becomes an error if a file of its model changes. Null if it is
  /// not there yet.
  std::shared_ptr<const Outcome> outcome(const Request& request) const;
  bool busy() const;
  int n_threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
