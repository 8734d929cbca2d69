#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/session/action.h"

namespace headscope {

/// The present session and the ones before and after it: undo is a list of values. It keeps a thousand steps,
/// or fewer if the weights trained and the numbers given meanwhile would fill the memory.
class History {
 public:
  /// Immutable, so that copies of a history share their steps.
  using Step = std::shared_ptr<const Session>;

  explicit History(Session session);

  const Session& present() const { return *present_; }
  const Step& step() const { return present_; }
  /// Carries out an action. `continues_gesture` is true while the same drag or the same run of typing goes
  /// on; only then do actions with equal merge keys become one step. A gesture that ends where it began
  /// leaves no step, and nor does an action that changes nothing.
  void apply(const Action& action, bool continues_gesture);
  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }
  void undo();
  void redo();
  /// The sessions before the present one, the newest last; what a "before and after" compares with.
  const std::vector<Step>& past() const { return past_; }

 private:
  void drop_empty_step();
  void forget_oldest();
  void take_step(std::vector<Step>& from, std::vector<Step>& to);

  static constexpr std::size_t max_steps = 1000;
  static constexpr double max_bytes_of_weights = 512.0 * (1U << 20U);
  Step present_;  ///< has the tokens of its texts, and so may the newest step on either side
  std::vector<Step> past_;
  std::vector<Step> future_;
  std::string last_key_;  ///< merge key of the last step while its gesture may go on; otherwise empty
};

}  // namespace headscope
