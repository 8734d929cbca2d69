#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// The parts of a question as an author writes them. All but the condition are Markdown.
struct QuestionWords {
  std::string asks, expect, hint, reveal;
  std::string others;  ///< The lines of the other parts: wrong answers, and what shows the answer.
  bool operator==(const QuestionWords&) const = default;
};

/// What an author writes into a step, or before the first one: its heading, its text as Markdown with all
/// blocks but the question and the scene, which the window writes, and its question, if it has one.
struct StepWords {
  std::string title;
  std::string says;
  std::optional<QuestionWords> question = {};
  bool operator==(const StepWords&) const = default;
};

/// The line that begins or ends a fenced block begins with this.
inline constexpr std::string_view lesson_fence = "```";

/// The title of a lesson, and what a step says, until the author writes them.
inline const std::string title_of_new_lesson = "My lesson";
inline const StepWords words_of_new_step{"A title for this step", "Say here what there is to see."};

// These functions change one step of a lesson's text and return the whole text. They follow the form that
// read_lesson() reads, and leave scenes and all other steps as they are. Steps count from 0. A step that
// does not exist has no words, and changing it changes nothing.

StepWords words_of_step(std::string_view text, std::size_t step);

/// What a reader sees of a text: without the blocks that tell the window something, such as what to point at.
std::string without_blocks(std::string_view says);

/// Writes other words. They stand below the step's scene. A step without a title has that of a new one.
std::string with_words_of_step(std::string_view text, std::size_t step, const StepWords& words);

/// The title of the lesson and what it says before its first step.
StepWords words_of_introduction(std::string_view text);

/// Writes another title and introduction. A lesson without a title keeps the one that it has.
std::string with_introduction(std::string_view text, const StepWords& words);

/// A lesson whose only step opens the scene of a file in its folder. Without a title it has a general one.
std::string new_lesson(const StepWords& introduction, std::string_view scene_file);

/// Adds a step in front of the step with this index, or at the end if there is none. The new step opens the
/// scene of a file in the folder of the lesson, and its words are words_of_new_step.
std::string with_new_step(std::string_view text, std::size_t step, std::string_view scene_file);

/// Gives a step the scene of a file in the folder of the lesson, in place of its own if it has one.
std::string with_scene_of_step(std::string_view text, std::size_t step, std::string_view scene_file);

/// Moves a step to another place, which the other steps make room for.
std::string with_step_moved(std::string_view text, std::size_t step, std::size_t to);

/// Leaves a step out. The file of its scene is not touched.
std::string without_step(std::string_view text, std::size_t step);

}  // namespace headscope
