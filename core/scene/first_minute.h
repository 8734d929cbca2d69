#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/lesson/lesson.h"

namespace headscope {

/// The lesson whose questions are the first steps suggested to a new user.
inline constexpr std::string_view first_minute_lesson = "00-the-first-minute";

/// A new user's progress in these steps.
struct FirstMinute {
  enum class State { dismissed, open, done };
  std::shared_ptr<const Lesson> lesson;  ///< Null if nothing was offered.
  std::vector<State> steps;  ///< One per step of the lesson. `gone` means dismissed or done before.

  /// The titles of the steps that are still open.
  std::vector<std::string> open_titles() const;
  bool is_open() const { return !open_titles().empty(); }
  bool operator==(const FirstMinute&) const = default;
};

/// The titles of the steps, without reading their scenes.
std::vector<std::string> first_minute_titles();

/// Offers the steps with these titles; the others are gone.
FirstMinute offered(std::shared_ptr<const Lesson> lesson, const std::vector<std::string>& titles);

/// Marks open steps as done if their questions are answered, in whatever way.
FirstMinute observed(FirstMinute minute, const ConditionContext& seen);

}  // namespace headscope
