#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/session/action.h"

namespace headscope {

/// The present session with the sessions before and after it: undo is a list of values. The history keeps a
/// thousand steps, or fewer if the trained weights and given numbers in them would take too much memory.
class History {
 public:
  /// A step is immutable, so copies of a history can share it.
  using Step = std::shared_ptr<const Session>;

  explicit History(Session session);

  const Session& present() const { return *present_; }
  const Step& step() const { return present_; }
  /// Carries out an action. `continues_gesture` is true while the same drag or the same run of typing
  /// continues; only then do actions with equal merge keys form one step. A gesture that ends where it began
  /// leaves no step, nor does an action that changes nothing.
  void apply(const Action& action, bool continues_gesture);
  bool can_undo() const { return !past_.sessions.empty(); }
  bool can_redo() const { return !future_.sessions.empty(); }
  /// They stay on the page that is shown, unless the step itself led to another one.
  void undo();
  void redo();
  /// Gives up what redo would bring back, because something outside of the session has been changed since.
  void forget_future();
  /// The sessions before the present one, the newest last, for comparisons of before and after.
  const std::vector<Step>& past() const { return past_.sessions; }
  /// The sessions that redo brings back, the nearest last.
  const std::vector<Step>& future() const { return future_.sessions; }

 private:
  void drop_empty_step();
  void forget_oldest();
  /// The sessions on one side of the present one, the nearest last, and whether the step between each of them
  /// and the next nearer one led to another page.
  struct Side {
    std::vector<Step> sessions;
    std::vector<bool> leads_away;
  };
  void take_step(Side& from, Side& to);

  static constexpr std::size_t max_steps = 1000;
  static constexpr double max_bytes_of_weights = 512.0 * (1U << 20U);
  /// Contains the tokens of its texts. The newest step on either side may contain its own as well.
  Step present_;
  Side past_, future_;
  /// The merge key of the last step while its gesture may continue. Otherwise empty.
  std::string last_key_;
};

}  // namespace headscope
