#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/session/action.h"

namespace headscope {

/// The present session with its undo and redo stacks, which are lists of values. Keeps a thousand steps, or
/// fewer if their trained weights and given numbers take too much memory.
class History {
 public:
  /// Immutable, so copies of a history share it.
  using Step = std::shared_ptr<const Session>;

  explicit History(Session session);

  const Session& present() const { return *present_; }
  const Step& step() const { return present_; }
  /// Applies an action. Actions with equal merge keys form one step only if `continues_gesture`: the same
  /// drag or run of typing goes on. A gesture that ends where it started leaves no step, nor does an action
  /// that changes nothing.
  void apply(const Action& action, bool continues_gesture);
  bool can_undo() const { return !past_.sessions.empty(); }
  bool can_redo() const { return !future_.sessions.empty(); }
  /// Keep the current page, unless the step itself changed it.
  void undo() { move_step(past_, future_); }
  void redo() { move_step(future_, past_); }
  /// Clears the redo stack, because something outside the session has changed.
  void clear_redo() { future_ = {}; }
  /// The undo stack, newest last.
  const std::vector<Step>& past() const { return past_.sessions; }
  /// The redo stack, next one last.
  const std::vector<Step>& future() const { return future_.sessions; }

 private:
  void drop_empty_step();
  void drop_oldest();
  /// One of the stacks, nearest last. `changes_page` says whether the step from each session towards the
  /// present one changed the page.
  struct Side {
    std::vector<Step> sessions;
    std::vector<bool> changes_page;
  };
  void move_step(Side& from, Side& to);

  static constexpr std::size_t max_steps = 1000;
  static constexpr double max_bytes_of_weights = 512.0 * (1U << 20U);
  /// Contains the tokens of its texts, as may the newest step of either stack.
  Step present_;
  Side past_, future_;
  /// The merge key of the last step while its gesture may continue. Empty otherwise.
  std::string last_key_;
};

}  // namespace headscope
