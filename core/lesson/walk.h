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

/// Where a learner is in a lesson. A plain value; the functions below compute the next one.
struct LessonWalk {
  std::shared_ptr<const Lesson> lesson;
  std::size_t step = 0;
  /// What happened to the question of each step.
  struct Answered {
    bool is_right = false;     ///< What was expected was done.
    bool is_revealed = false;  ///< The learner asked for the answer.
    bool has_hint = false;
    bool operator==(const Answered&) const = default;
  };
  std::vector<Answered> answered;
  /// The wrong answer that the learner is giving, as an index of the question's. Empty if it is none of them.
  std::optional<std::size_t> wrong;

  const LessonStep& at() const { return lesson->steps[step]; }
  const Answered& here() const { return answered[step]; }
  bool is_last() const { return step + 1 == lesson->steps.size(); }
  /// Whether a step asks something that has been neither answered nor revealed.
  bool is_open(std::size_t of_step) const {
    const Answered& found = answered[of_step];
    return lesson->steps[of_step].question && !found.is_right && !found.is_revealed;
  }
};

/// A lesson at its first step. It must have one, as every lesson that was read does.
LessonWalk begun(std::shared_ptr<const Lesson> lesson);

/// The same at another step, or at the last one if there are fewer.
LessonWalk at_step(LessonWalk walk, std::size_t step);

/// The same after looking at what the learner did: the question is answered once what is expected holds, and
/// stays so. A question that was revealed before does not count as answered.
LessonWalk observed(LessonWalk walk, const Seen& seen);

/// Whether two sessions differ in nothing but decimal numbers of attention that can be passed through, such
/// as the temperature.
bool moves_smoothly(const Session& from, const Session& to);

/// The numbers on the way from one session to another, at a share of the way from 0 to 1. The sessions must
/// move smoothly. Numbers that are positive at both ends are multiplied in equal steps.
std::vector<SettingChange> changes_on_the_way(const Session& from, const Session& to, double share);

/// Computes the pass of a session.
using ComputePass = std::function<Result<std::shared_ptr<const Trace>>(const Session& session)>;

/// Walks through a lesson as a learner would, and says what is wrong with it, each with its line: scenes that
/// cannot be computed, questions that are answered before anything was done, answers that the shown session
/// does not give, claims that do not hold, and places to look at that are not there. Empty if all is well.
std::vector<std::string> mistakes_in(const Lesson& lesson, const ComputePass& compute);

}  // namespace headscope
