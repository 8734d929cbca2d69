#pragma once

#include <functional>
#include <memory>

#include "core/engine/engine.h"

namespace headscope {

/// A pass, published once and never changed: a finished one or, of a long pass, the layers that are done (see
/// Trace::complete()).
struct Outcome {
  Request request;
  std::shared_ptr<const Trace> trace;  ///< null where there is an error
  std::string error;
};

/// A thread that computes the latest request only. A run that has become stale gives up; the caller never
/// waits.
class Worker {
 public:
  /// `on_ready` is called from the worker's thread after each publication (to wake a sleeping window).
  explicit Worker(std::function<void()> on_ready, int n_threads = 0);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Requests a pass. Repeating the last request does nothing.
  void submit(const Request& request);
  /// The newest finished pass; null before the first.
  std::shared_ptr<const Outcome> latest() const;
  /// Releases the newest pass and its memory; the next submit computes again.
  void forget();
  bool busy() const;
  int n_threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
