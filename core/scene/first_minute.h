#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/lesson/lesson.h"

namespace headscope {

/// The lesson whose questions are the first steps that a new user is invited to take.
inline constexpr std::string_view first_minute_lesson = "00-the-first-minute";

/// A new user's progress in these steps.
struct FirstMinute {
  enum class State { gone, open, done };
  std::shared_ptr<const Lesson> lesson;  ///< Null if nothing was offered.
  std::vector<State> steps;  ///< Of the steps of the lesson. `gone` means dismissed or done before.

  /// The titles of the steps that are still open.
  std::vector<std::string> open_titles() const;
  bool is_open() const { return !open_titles().empty(); }
  bool operator==(const FirstMinute&) const = default;
};

/// The titles of the steps, without reading what they show.
std::vector<std::string> first_minute_titles();

/// The steps with these titles are open, the others are gone.
FirstMinute offered(std::shared_ptr<const Lesson> lesson, const std::vector<std::string>& titles);

/// Marks the open steps whose questions are answered to be done, however that came about.
FirstMinute observed(FirstMinute minute, const Seen& seen);

}  // namespace headscope
