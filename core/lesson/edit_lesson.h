#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// The source of a question, as its author writes it. All parts but `expect` are Markdown.
struct QuestionText {
  std::string prompt, expect, hint, reveal;
  std::string others;  ///< The lines of the other parts: wrong answers, and the session of the answer.
  bool operator==(const QuestionText&) const = default;
};

/// The source of a step or of the introduction, as its author writes it: the heading, the Markdown with all
/// blocks but the question and the scene, which the window writes, and the question, if there is one.
struct StepText {
  std::string title;
  std::string body;
  std::optional<QuestionText> question = {};
  bool operator==(const StepText&) const = default;
};

/// The prefix of a line that begins or ends a fenced block.
inline constexpr std::string_view lesson_fence = "```";

/// The initial title of a lesson and text of a step.
inline const std::string default_lesson_title = "My lesson";
inline const StepText default_step_text{"A title for this step", "Say here what there is to see."};

// These functions edit one step of a lesson's text, in the format of parse_lesson(), and return the whole
// text. Scenes and all other steps are unchanged. Steps count from 0. A step that does not exist is empty,
// and editing it changes nothing.

StepText parse_step(std::string_view text, std::size_t step);

/// Removes the directives, such as what to point at, from a text.
std::string without_directives(std::string_view body);

/// Replaces the text of a step, below its scene. An empty title becomes that of a new step.
std::string with_step_text(std::string_view text, std::size_t step, const StepText& words);

/// The title of the lesson and its text before the first step.
StepText parse_introduction(std::string_view text);

/// Replaces the title and introduction. An empty title keeps the present one.
std::string with_introduction(std::string_view text, const StepText& words);

/// A lesson with a single step, which opens a scene file in its folder. An empty title becomes the default.
std::string new_lesson(const StepText& introduction, std::string_view scene_file);

/// Inserts a step at this index, or appends it if the index is too large. It opens a scene file in the
/// lesson's folder, and its text is default_step_text.
std::string with_new_step(std::string_view text, std::size_t step, std::string_view scene_file);

/// Sets the scene of a step to a file in the lesson's folder.
std::string with_scene_of_step(std::string_view text, std::size_t step, std::string_view scene_file);

/// Moves a step to another index.
std::string with_step_moved(std::string_view text, std::size_t step, std::size_t to);

/// Removes a step, but not the file of its scene.
std::string without_step(std::string_view text, std::size_t step);

}  // namespace headscope
