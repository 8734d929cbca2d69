#include "core/scene/first_minute.h"

#include <algorithm>
#include <utility>

#include "core/lesson/read_lesson.h"

namespace headscope {

std::vector<std::string> FirstMinute::open_titles() const {
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] == State::open) titles.push_back(lesson->steps[i].title);
  }
  return titles;
}

std::vector<std::string> first_minute_titles() {
  const EmbeddedFile* file = lesson_file(first_minute_lesson);
  return file == nullptr ? std::vector<std::string>()
                         : outline_of_lesson(std::string(file->name), file->text).steps;
}

FirstMinute offered(std::shared_ptr<const Lesson> lesson, const std::vector<std::string>& titles) {
  FirstMinute minute;
  for (const LessonStep& step : lesson->steps) {
    const bool is_open = step.question && std::ranges::find(titles, step.title) != titles.end();
    minute.steps.push_back(is_open ? FirstMinute::State::open : FirstMinute::State::dismissed);
  }
  minute.lesson = std::move(lesson);
  return minute;
}

FirstMinute observed(FirstMinute minute, const ConditionContext& seen) {
  for (std::size_t i = 0; i < minute.steps.size(); ++i) {
    FirstMinute::State& state = minute.steps[i];
    if (state == FirstMinute::State::open && holds(minute.lesson->steps[i].question->expect, seen))
      state = FirstMinute::State::done;
  }
  return minute;
}

}  // namespace headscope
