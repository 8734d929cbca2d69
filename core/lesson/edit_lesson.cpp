#include "core/lesson/edit_lesson.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/io/matrix_number.h"

namespace headscope {
namespace {

constexpr std::string_view lesson_mark = "# ";
constexpr std::string_view step_mark = "## ";
constexpr std::string_view scene_begin = "```scene";
constexpr std::string_view ask_begin = "```ask";

/// Follows in which kind of fenced block a line is, its fences included.
class Fences {
 public:
  enum class Place { outside, scene, ask, other_directive, formula };

  Place of(std::string_view line) {
    const Place before = place_;
    if (before == Place::outside) {
      if (!line.starts_with(lesson_fence)) return before;
      const std::string_view name = trimmed(line.substr(lesson_fence.size()));
      place_ = name.empty()      ? Place::formula
               : name == "scene" ? Place::scene
               : name == "ask"   ? Place::ask
                                 : Place::other_directive;
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

/// The parts that have a field of their own, by the words with which their lines begin.
constexpr std::array question_fields{std::pair(std::string_view("expect:"), &QuestionWords::expect),
                                     std::pair(std::string_view("hint:"), &QuestionWords::hint),
                                     std::pair(std::string_view("reveal:"), &QuestionWords::reveal)};

/// Adds a line inside of a block of a question to the part that `part` points at, after making it point at
/// the part that the line begins. A second line that begins the same part is kept among the others.
void add_question_line(std::string_view line, QuestionWords& question, std::string*& part) {
  constexpr std::array others{"wrong:", "show:"};
  bool is_other = std::ranges::any_of(others, [&](const char* begin) { return line.starts_with(begin); });
  for (const auto& [begin, member] : question_fields) {
    if (!line.starts_with(begin)) continue;
    is_other = !(question.*member).empty();
    if (is_other) break;
    part = &(question.*member);
    part->append(trimmed(line.substr(begin.size()))).append("\n");
    return;
  }
  if (is_other) part = &question.others;
  part->append(line);
}

/// Takes the question out of the text, if it has exactly one.
void take_question(StepWords& words) {
  QuestionWords question;
  std::string* part = &question.asks;
  std::string rest;
  int n_questions = 0;
  bool is_inside = false;
  Fences fences;
  for_each_line(words.says, [&](std::string_view line) {
    if (fences.of(line) != Fences::Place::ask) {
      rest.append(line);
    } else if (!is_inside) {
      is_inside = true;
      ++n_questions;
    } else if (trimmed(line) == lesson_fence) {
      is_inside = false;
    } else {
      add_question_line(line, question, part);
    }
  });
  if (n_questions != 1 || is_inside) return;
  for (std::string* each :
       {&question.asks, &question.expect, &question.hint, &question.reveal, &question.others})
    *each = trimmed(*each);
  words.says = trimmed(rest);
  words.question = std::move(question);
}

/// The text with its question at the end, as a lesson's file has it.
std::string with_question(const StepWords& words) {
  if (!words.question) return words.says;
  const QuestionWords& question = *words.question;
  std::string block(trimmed(words.says));
  if (!block.empty()) block += "\n\n";
  block.append(ask_begin).append("\n");
  const auto add = [&](std::string_view begin, std::string_view part) {
    part = trimmed(part);
    if (!part.empty()) block.append(begin).append(begin.empty() ? "" : " ").append(part).append("\n");
  };
  add("", question.asks);
  for (const auto& [begin, member] : question_fields) add(begin, question.*member);
  add("", question.others);
  return block.append(lesson_fence);
}

/// The heading and the text of one part. Its heading begins with `mark`.
StepWords words_of(std::string_view part, std::string_view mark) {
  StepWords words;
  Fences fences;
  bool has_heading = false;
  for_each_line(part, [&](std::string_view line) {
    const Fences::Place place = fences.of(line);
    if (!has_heading && place == Fences::Place::outside && line.starts_with(mark)) {
      words.title = trimmed(line.substr(mark.size()));
      has_heading = true;
    } else if (place != Fences::Place::scene) {
      words.says.append(line);
    }
  });
  words.says = trimmed(words.says);
  if (mark == step_mark) take_question(words);
  return words;
}

/// A part with another heading and other words, which stand below its scene.
std::string rewritten(std::string_view part, std::string_view mark, const StepWords& words) {
  std::string changed = std::string(mark) + words.title + "\n\n";
  Fences fences;
  for_each_line(part, [&](std::string_view line) {
    if (fences.of(line) != Fences::Place::scene) return;
    changed.append(line);
    if (trimmed(line) == lesson_fence) changed += '\n';
  });
  return changed + with_question(words);
}

std::string scene_block(std::string_view scene_file) {
  std::string block(scene_begin);
  return block.append("\n").append(scene_file).append("\n").append(lesson_fence).append("\n");
}

/// Gives words that have no title the title `instead`.
StepWords titled(StepWords words, const std::string& instead) {
  if (trimmed(words.title).empty()) words.title = instead;
  return words;
}

}  // namespace

StepWords words_of_step(std::string_view text, std::size_t step) {
  const CutLesson parts = cut_at_steps(text);
  return step < parts.steps.size() ? words_of(parts.steps[step], step_mark) : StepWords{};
}

std::string with_words_of_step(std::string_view text, std::size_t step, const StepWords& words) {
  CutLesson parts = cut_at_steps(text);
  if (step >= parts.steps.size()) return std::string(text);
  // Words that were opened and left as they are keep the order of their blocks.
  if (words == words_of(parts.steps[step], step_mark)) return std::string(text);
  parts.steps[step] = rewritten(parts.steps[step], step_mark, titled(words, words_of_new_step.title));
  return joined(parts);
}

std::string without_blocks(std::string_view says) {
  std::string text;
  Fences fences;
  for_each_line(says, [&](std::string_view line) {
    const Fences::Place place = fences.of(line);
    if (place == Fences::Place::outside || place == Fences::Place::formula) text.append(line);
  });
  return text;
}

StepWords words_of_introduction(std::string_view text) {
  return words_of(cut_at_steps(text).before, lesson_mark);
}

std::string with_introduction(std::string_view text, const StepWords& words) {
  CutLesson parts = cut_at_steps(text);
  const std::string title = words_of(parts.before, lesson_mark).title;
  parts.before = rewritten(parts.before, lesson_mark, titled(words, title));
  return joined(parts);
}

std::string new_lesson(const StepWords& introduction, std::string_view scene_file) {
  const StepWords words = titled(introduction, title_of_new_lesson);
  return with_new_step(rewritten("", lesson_mark, words), 0, scene_file);
}

std::string with_new_step(std::string_view text, std::size_t step, std::string_view scene_file) {
  CutLesson parts = cut_at_steps(text);
  const auto place = static_cast<std::ptrdiff_t>(std::min(step, parts.steps.size()));
  std::string added(step_mark);
  added.append(words_of_new_step.title + "\n\n").append(scene_block(scene_file)).append("\n");
  added.append(words_of_new_step.says);
  parts.steps.insert(parts.steps.begin() + place, std::move(added));
  return joined(parts);
}

std::string with_scene_of_step(std::string_view text, std::size_t step, std::string_view scene_file) {
  CutLesson parts = cut_at_steps(text);
  if (step >= parts.steps.size()) return std::string(text);
  std::string changed;
  Fences fences;
  bool is_in_scene = false;
  for_each_line(parts.steps[step], [&](std::string_view line) {
    const bool is_heading = changed.empty();
    const bool is_scene = fences.of(line) == Fences::Place::scene;
    if (is_scene && !is_in_scene && trimmed(line) == scene_begin) {
      is_in_scene = true;
    } else if (!is_in_scene) {
      changed.append(line);
    } else if (trimmed(line) == lesson_fence) {
      is_in_scene = false;
    }
    if (is_heading) changed.append("\n" + scene_block(scene_file));
  });
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
