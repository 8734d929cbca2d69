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
  cut,    ///< Compute the leading tokens that fit; see Trace::n_sentence_tokens().
  refuse  ///< Return an error that states the limit.
};

/// Receives a trace of the finished layers while the others are being computed.
using OnPartialTrace = std::function<void(std::shared_ptr<const Trace>)>;

/// Flags that another thread sets to cancel a pass.
struct StopFlags {
  std::atomic<bool> pass{false};     ///< Cancels the pass.
  std::atomic<bool> weights{false};  ///< Cancels drawing its weights as well.
};

/// Computes traces, one at a time. Keeps what passes share: threads, the last weights, and the buffers of
/// released traces. Traces may outlive it.
class Engine {
 public:
  /// If `n_threads` is 0, uses as many threads as the machine has.
  explicit Engine(int n_threads = 0);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Computes a forward pass that keeps as many stages as the request's memory allows. If only the text of a
  /// causal model has changed since the previous pass, and that is still alive, computes only what follows
  /// the first changed token, with bit-identical results. Once `stop` is set, returns a null trace early. If
  /// the pass takes longer than a frame, `on_partial` occasionally receives the finished part.
  Result<std::shared_ptr<const Trace>> compute(const Request& request, TooLong too_long = TooLong::cut,
                                               const StopFlags* stop = nullptr,
                                               OnPartialTrace on_partial = {}) {
    return slices(request, too_long, stop, std::move(on_partial)).finish();
  }
  /// The same in slices of one layer or one step before them. The share counts only the layers of the pass
  /// itself, not of donors of its interventions. Only one may be active at a time.
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
