#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "core/engine/request.h"
#include "core/slices.h"

namespace headscope {

/// What to do with a sentence that has more tokens than the memory allows.
enum class TooLong {
  cut,    ///< Compute the leading tokens that fit; see Trace::tokens_in_sentence().
  refuse  ///< Return an error that states the limit.
};

/// Receives a trace of the finished layers while the others are still being computed.
using OnPartialTrace = std::function<void(std::shared_ptr<const Trace>)>;

/// Flags that another thread sets to make a pass give up.
struct StopFlags {
  std::atomic<bool> pass{false};     ///< The pass is no longer wanted.
  std::atomic<bool> weights{false};  ///< Neither are its weights, so drawing them gives up as well.
};

/// Computes traces. It keeps what passes share: the threads that heads run on, the weights used last, and the
/// buffers of released traces. An engine computes one pass at a time. Traces may outlive it.
class Engine {
 public:
  /// If `n_threads` is 0, the engine uses as many threads as the machine has.
  explicit Engine(int n_threads = 0);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Computes a forward pass that keeps as many of its stages as the request's memory allows. If only the
  /// text of a causal model has changed since the previous pass, and that pass is still held, this computes
  /// only what follows the first changed token; the results are equal to the last bit. If `stop` becomes
  /// true, it gives up early and returns a null trace. If a pass takes longer than a frame, `on_partial`
  /// receives the finished part now and then.
  Result<std::shared_ptr<const Trace>> compute(const Request& request, TooLong too_long = TooLong::cut,
                                               const StopFlags* stop = nullptr,
                                               OnPartialTrace on_partial = {}) {
    return slices(request, too_long, stop, std::move(on_partial)).finish();
  }
  /// The same in slices, each a layer of a pass. The share counts the layers of the pass itself, not of those
  /// that its interventions take numbers from. Only one may be begun at a time.
  Slices<Result<std::shared_ptr<const Trace>>> slices(Request request, TooLong too_long = TooLong::cut,
                                                      const StopFlags* stop = nullptr,
                                                      OnPartialTrace on_partial = {});
  int n_threads() const;

 private:
  Slices<Result<std::shared_ptr<const Trace>>> pass(const Request& request, TooLong too_long,
                                                    const StopFlags* stop, const OnPartialTrace& on_partial);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
