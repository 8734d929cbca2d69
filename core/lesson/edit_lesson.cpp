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

/// Calls `take` with each line, its end included, and the name of the fenced block to which it and its fences
/// belong: empty outside of blocks, and lesson_fence for a formula.
template <class Take>
void for_each_line(std::string_view text, const Take& take) {
  std::string_view block;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const bool ends = !block.empty() && trimmed(line) == lesson_fence;
    if (block.empty() && line.starts_with(lesson_fence)) {
      const std::string_view name = trimmed(line.substr(lesson_fence.size()));
      block = name.empty() ? lesson_fence : name;
    }
    take(line, block);
    if (ends) block = {};
  }
}

/// The introduction of a lesson, and then its steps with their headings.
std::vector<std::string> lesson_parts(std::string_view text) {
  std::vector<std::string> parts(1);
  for_each_line(text, [&](std::string_view line, std::string_view block) {
    if (block.empty() && line.starts_with(step_mark)) parts.emplace_back();
    parts.back().append(line);
  });
  return parts;
}

/// The parts as one text, with an empty line before each step.
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    const std::string_view whole = trimmed(part);
    if (whole.empty()) continue;
    if (!text.empty()) text += '\n';
    text.append(whole).append("\n");
  }
  return text;
}

/// The text after `change` was made to the part of a step.
template <class Change>
std::string with_changed_step(std::string_view text, std::size_t step, const Change& change) {
  std::vector<std::string> parts = lesson_parts(text);
  if (step >= parts.size() - 1) return std::string(text);
  change(parts[step + 1]);
  return joined(parts);
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
  for_each_line(words.body, [&](std::string_view line, std::string_view block) {
    if (block != "ask") {
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
  bool has_heading = false;
  for_each_line(part, [&](std::string_view line, std::string_view block) {
    if (!has_heading && block.empty() && line.starts_with(mark)) {
      words.title = trimmed(line.substr(mark.size()));
      has_heading = true;
    } else if (block != "scene") {
      words.body.append(line);
    }
  });
  words.body = trimmed(words.body);
  if (mark == step_mark) take_question(words);
  return words;
}

/// Replaces the heading and the text of a part, below its scene. An empty title becomes `instead`.
std::string rewritten(std::string_view part, std::string_view mark, const StepText& words,
                      const std::string& instead) {
  std::string changed(mark);
  changed.append(trimmed(words.title).empty() ? instead : words.title).append("\n\n");
  for_each_line(part, [&](std::string_view line, std::string_view block) {
    if (block != "scene") return;
    changed.append(line);
    if (trimmed(line) == lesson_fence) changed += '\n';
  });
  return changed + with_question(words);
}

std::string scene_block(std::string_view scene_file) {
  std::string block(scene_begin);
  return block.append("\n").append(scene_file).append("\n").append(lesson_fence).append("\n");
}

}  // namespace

StepText parse_step(std::string_view text, std::size_t step) {
  const std::vector<std::string> parts = lesson_parts(text);
  return step < parts.size() - 1 ? words_of(parts[step + 1], step_mark) : StepText{};
}

std::string with_step_text(std::string_view text, std::size_t step, const StepText& words) {
  // Unchanged words keep the order of their blocks.
  if (words == parse_step(text, step)) return std::string(text);
  return with_changed_step(text, step, [&](std::string& part) {
    part = rewritten(part, step_mark, words, default_step_text.title);
  });
}

std::string without_directives(std::string_view body) {
  std::string text;
  for_each_line(body, [&](std::string_view line, std::string_view block) {
    if (block.empty() || block == lesson_fence) text.append(line);
  });
  return text;
}

StepText parse_introduction(std::string_view text) {
  return words_of(lesson_parts(text).front(), lesson_mark);
}

std::string with_introduction(std::string_view text, const StepText& words) {
  std::vector<std::string> parts = lesson_parts(text);
  parts.front() = rewritten(parts.front(), lesson_mark, words, words_of(parts.front(), lesson_mark).title);
  return joined(parts);
}

std::string new_lesson(const StepText& introduction, std::string_view scene_file) {
  return with_new_step(rewritten("", lesson_mark, introduction, default_lesson_title), 0, scene_file);
}

std::string with_new_step(std::string_view text, std::size_t step, std::string_view scene_file) {
  std::vector<std::string> parts = lesson_parts(text);
  const auto place = static_cast<std::ptrdiff_t>(std::min(step, parts.size() - 1)) + 1;
  std::string added(step_mark);
  added.append(default_step_text.title + "\n\n").append(scene_block(scene_file)).append("\n");
  added.append(default_step_text.body);
  parts.insert(parts.begin() + place, std::move(added));
  return joined(parts);
}

std::string with_scene_of_step(std::string_view text, std::size_t step, std::string_view scene_file) {
  return with_changed_step(text, step, [&](std::string& part) {
    std::string changed;
    for_each_line(part, [&](std::string_view line, std::string_view block) {
      if (block != "scene") changed.append(line);
      if (line.data() == part.data()) changed.append("\n" + scene_block(scene_file));
    });
    part = std::move(changed);
  });
}

std::string with_step_moved(std::string_view text, std::size_t step, std::size_t to) {
  std::vector<std::string> parts = lesson_parts(text);
  if (std::max(step, to) >= parts.size() - 1) return std::string(text);
  std::string moved = std::move(parts[step + 1]);
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(step) + 1);
  parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(to) + 1, std::move(moved));
  return joined(parts);
}

std::string without_step(std::string_view text, std::size_t step) {
  return with_changed_step(text, step, [](std::string& part) { part.clear(); });
}

}  // namespace headscope
