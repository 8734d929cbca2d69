#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "core/engine/request.h"

namespace headscope {

/// What to do with a sentence of more tokens than the memory allows.
enum class TooLong {
  cut,    ///< compute the first tokens that fit; Trace::tokens_in_sentence() tells
  refuse  ///< an error that states the limit
};

/// Receives a trace of the finished layers while the others are still being computed.
using OnPartialTrace = std::function<void(std::shared_ptr<const Trace>)>;

/// Makes a pass give up, from another thread.
struct StopFlags {
  std::atomic<bool> pass{false};     ///< the pass is not wanted any more
  std::atomic<bool> weights{false};  ///< nor are its weights, so drawing them gives up, too
};

/// Computes traces. Keeps what passes share: the threads that heads run on, the weights last used, and the
/// buffers of released traces. One pass at a time per engine; traces may outlive it.
class Engine {
 public:
  /// `n_threads` 0: as many as the machine has.
  explicit Engine(int n_threads = 0);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// A forward pass that keeps as many of its stages as the request's memory allows. Of a causal model whose
  /// text alone was changed since the pass before, only what follows the first changed token is computed, to
  /// the same bits, as long as that pass is held by somebody. Gives up early, with a null trace, when `stop`
  /// becomes true. Where a pass takes longer than a frame, `on_partial` is given what
  /// is done so far, now and then.
  Result<std::shared_ptr<const Trace>> compute(const Request& request, TooLong too_long = TooLong::cut,
                                               const StopFlags* stop = nullptr,
                                               const OnPartialTrace& on_partial = {});
  int n_threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
