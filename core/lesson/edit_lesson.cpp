#include "core/lesson/edit_lesson.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/io/matrix_text.h"

namespace headscope {
namespace {

constexpr std::string_view lesson_mark = "# ";
constexpr std::string_view step_mark = "## ";
constexpr std::string_view scene_begin = "```scene";
constexpr std::string_view ask_start = "```ask";

/// Tracks the fenced block of each line, fences included.
class Fences {
 public:
  enum class Slot { outside, scene, ask, other_directive, formula };

  Slot of(std::string_view line) {
    const Slot before = place_;
    if (before == Slot::outside) {
      if (!line.starts_with(lesson_fence)) return before;
      const std::string_view name = trimmed(line.substr(lesson_fence.size()));
      place_ = name.empty()      ? Slot::formula
               : name == "scene" ? Slot::scene
               : name == "ask"   ? Slot::ask
                                 : Slot::other_directive;
      return place_;
    }
    if (trimmed(line) == lesson_fence) place_ = Slot::outside;
    return before;
  }

 private:
  Slot place_ = Slot::outside;
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

/// The introduction of a lesson, and its steps with their headings.
struct CutLesson {
  std::string before;
  std::vector<std::string> steps;
};

CutLesson cut_at_steps(std::string_view text) {
  CutLesson parts;
  Fences fences;
  for_each_line(text, [&](std::string_view line) {
    const bool begins = fences.of(line) == Fences::Slot::outside && line.starts_with(step_mark);
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

/// The parts with a field of their own, by the keywords of their lines.
constexpr std::array question_fields{std::pair(std::string_view("expect:"), &QuestionText::expect),
                                     std::pair(std::string_view("hint:"), &QuestionText::hint),
                                     std::pair(std::string_view("reveal:"), &QuestionText::reveal)};

/// Adds a line of a question's block to the part that `part` points at, after redirecting it if the line
/// begins a part. A second line that begins the same part is kept among the others.
void add_question_line(std::string_view line, QuestionText& question, std::string*& part) {
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

/// Extracts the question from the text, if it has exactly one.
void take_question(StepText& words) {
  QuestionText question;
  std::string* part = &question.prompt;
  std::string rest;
  int n_questions = 0;
  bool is_inside = false;
  Fences fences;
  for_each_line(words.body, [&](std::string_view line) {
    if (fences.of(line) != Fences::Slot::ask) {
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
       {&question.prompt, &question.expect, &question.hint, &question.reveal, &question.others})
    *each = trimmed(*each);
  words.body = trimmed(rest);
  words.question = std::move(question);
}

/// Appends the question to the text, as in a lesson's file.
std::string with_question(const StepText& words) {
  if (!words.question) return words.body;
  const QuestionText& question = *words.question;
  std::string block(trimmed(words.body));
  if (!block.empty()) block += "\n\n";
  block.append(ask_start).append("\n");
  const auto add = [&](std::string_view begin, std::string_view part) {
    part = trimmed(part);
    if (!part.empty()) block.append(begin).append(begin.empty() ? "" : " ").append(part).append("\n");
  };
  add("", question.prompt);
  for (const auto& [begin, member] : question_fields) add(begin, question.*member);
  add("", question.others);
  return block.append(lesson_fence);
}

/// The heading and the text of one part. Its heading begins with `mark`.
StepText words_of(std::string_view part, std::string_view mark) {
  StepText words;
  Fences fences;
  bool has_heading = false;
  for_each_line(part, [&](std::string_view line) {
    const Fences::Slot place = fences.of(line);
    if (!has_heading && place == Fences::Slot::outside && line.starts_with(mark)) {
      words.title = trimmed(line.substr(mark.size()));
      has_heading = true;
    } else if (place != Fences::Slot::scene) {
      words.body.append(line);
    }
  });
  words.body = trimmed(words.body);
  if (mark == step_mark) take_question(words);
  return words;
}

/// Replaces the heading and the text of a part, below its scene.
std::string rewritten(std::string_view part, std::string_view mark, const StepText& words) {
  std::string changed = std::string(mark) + words.title + "\n\n";
  Fences fences;
  for_each_line(part, [&](std::string_view line) {
    if (fences.of(line) != Fences::Slot::scene) return;
    changed.append(line);
    if (trimmed(line) == lesson_fence) changed += '\n';
  });
  return changed + with_question(words);
}

std::string scene_block(std::string_view scene_file) {
  std::string block(scene_begin);
  return block.append("\n").append(scene_file).append("\n").append(lesson_fence).append("\n");
}

/// Sets a missing title to `instead`.
StepText titled(StepText words, const std::string& instead) {
  if (trimmed(words.title).empty()) words.title = instead;
  return words;
}

}  // namespace

StepText parse_step(std::string_view text, std::size_t step) {
  const CutLesson parts = cut_at_steps(text);
  return step < parts.steps.size() ? words_of(parts.steps[step], step_mark) : StepText{};
}

std::string with_step_text(std::string_view text, std::size_t step, const StepText& words) {
  CutLesson parts = cut_at_steps(text);
  if (step >= parts.steps.size()) return std::string(text);
  // Unchanged words keep the order of their blocks.
  if (words == words_of(parts.steps[step], step_mark)) return std::string(text);
  parts.steps[step] = rewritten(parts.steps[step], step_mark, titled(words, default_step_text.title));
  return joined(parts);
}

std::string without_directives(std::string_view body) {
  std::string text;
  Fences fences;
  for_each_line(body, [&](std::string_view line) {
    const Fences::Slot place = fences.of(line);
    if (place == Fences::Slot::outside || place == Fences::Slot::formula) text.append(line);
  });
  return text;
}

StepText parse_introduction(std::string_view text) {
  return words_of(cut_at_steps(text).before, lesson_mark);
}

std::string with_introduction(std::string_view text, const StepText& words) {
  CutLesson parts = cut_at_steps(text);
  const std::string title = words_of(parts.before, lesson_mark).title;
  parts.before = rewritten(parts.before, lesson_mark, titled(words, title));
  return joined(parts);
}

std::string new_lesson(const StepText& introduction, std::string_view scene_file) {
  const StepText words = titled(introduction, default_lesson_title);
  return with_new_step(rewritten("", lesson_mark, words), 0, scene_file);
}

std::string with_new_step(std::string_view text, std::size_t step, std::string_view scene_file) {
  CutLesson parts = cut_at_steps(text);
  const auto place = static_cast<std::ptrdiff_t>(std::min(step, parts.steps.size()));
  std::string added(step_mark);
  added.append(default_step_text.title + "\n\n").append(scene_block(scene_file)).append("\n");
  added.append(default_step_text.body);
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
    const bool is_scene = fences.of(line) == Fences::Slot::scene;
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
