#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lesson/lesson.h"
#include "core/result.h"
#include "core/session/setting_change.h"

namespace headscope {

/// A learner's progress in a lesson. A plain value; the functions below compute the next one.
struct LessonWalk {
  std::shared_ptr<const Lesson> lesson;
  std::size_t step = 0;
  /// The state of the question of each step.
  struct Answered {
    bool is_right = false;     ///< The condition was met.
    bool is_revealed = false;  ///< The learner asked for the answer.
    bool has_hint = false;
    bool operator==(const Answered&) const = default;
  };
  std::vector<Answered> answered;
  /// The index of the question's wrong answer that the learner's session matches. Empty if none does.
  std::optional<std::size_t> wrong;
  /// Whether the learner has tried to answer in a way that the lesson does not foresee.
  bool is_attempted = false;

  const LessonStep& at() const { return lesson->steps[step]; }
  const Answered& here() const { return answered[step]; }
  bool is_last() const { return step + 1 == lesson->steps.size(); }
  /// Whether a step has a question that has been neither answered nor revealed.
  bool is_open(std::size_t of_step) const {
    const Answered& found = answered[of_step];
    return lesson->steps[of_step].question && !found.is_right && !found.is_revealed;
  }
};

/// A lesson at its first step, which every lesson that was read has.
LessonWalk started(std::shared_ptr<const Lesson> lesson);

/// The same at another step, or at the last one if there are fewer.
LessonWalk at_step(LessonWalk walk, std::size_t step);

/// The same after evaluating the question: once its condition holds, it stays answered, unless the answer was
/// revealed before. `opened` is the session with which the step began, `last` the one before the last change,
/// null during a drag.
LessonWalk observed(LessonWalk walk, const Session& opened, const ConditionContext& seen,
                    const Session* last = nullptr);

/// Whether two sessions differ only in decimal attention settings, such as the temperature, so that the
/// change can be animated.
bool can_animate(const Session& from, const Session& to);

/// Interpolates the settings between two sessions at a share from 0 to 1; can_animate() must hold.
/// Settings that are positive at both ends are interpolated geometrically.
std::vector<SettingChange> interpolated_changes(const Session& from, const Session& to, double share);

/// Computes the pass of a session.
using ComputePass = std::function<Result<std::shared_ptr<const Trace>>(const Session& session)>;

/// Walks through a lesson as a learner would and returns its mistakes, each with its line: scenes that cannot
/// be computed, questions that are answered from the start, sessions that do not show the answer, claims that
/// do not hold, and missing things to point at. Empty if there are none.
std::vector<std::string> lint_lesson(const Lesson& lesson, const ComputePass& compute);

}  // namespace headscope
