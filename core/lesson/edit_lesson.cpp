#include "core/lesson/edit_lesson.h"

#include <algorithm>
#include <vector>

#include "core/io/matrix_number.h"

namespace headscope {
namespace {

constexpr std::string_view step_mark = "## ";

/// Follows whether a line is inside a fenced block, its fences included.
class Fences {
 public:
  enum class Place { outside, directive, formula };

  Place of(std::string_view line) {
    const Place before = place_;
    if (before == Place::outside) {
      if (!line.starts_with(lesson_fence)) return before;
      place_ = trimmed(line.substr(lesson_fence.size())).empty() ? Place::formula : Place::directive;
      return place_;
    }
    if (trimmed(line) == lesson_fence) place_ = Place::outside;
    return before;
  }

 private:
  Place place_ = Place::outside;
};

/// Calls `take` with each line, its end included.
template <class Take>
void for_each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    take(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// What stands before the first step of a lesson, and its steps with their headings.
struct CutLesson {
  std::string before;
  std::vector<std::string> steps;
};

CutLesson cut_at_steps(std::string_view text) {
  CutLesson parts;
  Fences fences;
  for_each_line(text, [&](std::string_view line) {
    const bool begins = fences.of(line) == Fences::Place::outside && line.starts_with(step_mark);
    if (begins) parts.steps.emplace_back();
    (parts.steps.empty() ? parts.before : parts.steps.back()).append(line);
  });
  return parts;
}

/// The parts as one text, with an empty line before each step.
std::string joined(const CutLesson& parts) {
  std::string text;
  const auto add = [&](const std::string& part) {
    const std::string_view whole = trimmed(part);
    if (whole.empty()) return;
    if (!text.empty()) text += '\n';
    text.append(whole).append("\n");
  };
  add(parts.before);
  std::ranges::for_each(parts.steps, add);
  return text;
}

}  // namespace

StepWords words_of_step(std::string_view text, std::size_t step) {
  const CutLesson parts = cut_at_steps(text);
  if (step >= parts.steps.size()) return {};
  StepWords words;
  Fences fences;
  bool is_first = true;
  for_each_line(parts.steps[step], [&](std::string_view line) {
    if (is_first)
      words.title = trimmed(line.substr(step_mark.size()));
    else if (fences.of(line) != Fences::Place::directive)
      words.says.append(line);
    is_first = false;
  });
  words.says = trimmed(words.says);
  return words;
}

std::string with_words_of_step(std::string_view text, std::size_t step, const StepWords& words) {
  CutLesson parts = cut_at_steps(text);
  if (step >= parts.steps.size()) return std::string(text);
  const bool has_title = !trimmed(words.title).empty();
  std::string changed = std::string(step_mark) + (has_title ? words.title : words_of_new_step.title) + "\n\n";
  Fences fences;
  for_each_line(parts.steps[step], [&](std::string_view line) {
    if (fences.of(line) != Fences::Place::directive) return;
    changed.append(line);
    if (trimmed(line) == lesson_fence) changed += '\n';
  });
  changed.append(words.says);
  parts.steps[step] = std::move(changed);
  return joined(parts);
}

std::string with_step_moved(std::string_view text, std::size_t step, std::size_t to) {
  CutLesson parts = cut_at_steps(text);
  if (step >= parts.steps.size() || to >= parts.steps.size()) return std::string(text);
  const auto at = [&](std::size_t i) { return parts.steps.begin() + static_cast<std::ptrdiff_t>(i); };
  if (step < to)
    std::rotate(at(step), at(step) + 1, at(to) + 1);
  else
    std::rotate(at(to), at(step), at(step) + 1);
  return joined(parts);
}

std::string without_step(std::string_view text, std::size_t step) {
  CutLesson parts = cut_at_steps(text);
  if (step >= parts.steps.size()) return std::string(text);
  parts.steps.erase(parts.steps.begin() + static_cast<std::ptrdiff_t>(step));
  return joined(parts);
}

}  // namespace headscope
