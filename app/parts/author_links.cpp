#include "app/parts/author_links.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/lesson/edit_lesson.h"

namespace headscope {
namespace {

/// Draws a link after the last one, on the same line if there is room. A link that does not apply is pale, so
/// that the links after it stay in their places.
bool next_link(Frame& frame, const char* label, const std::string& tooltip, bool applies = true) {
  continue_line(frame.ui.px(14.0F), link_width(frame.ui, label, text_size::small));
  return link_if(frame.ui, applies, label, tooltip.c_str(), text_size::small);
}

/// Draws the links that change the order of the steps, and below them the one that undoes the last change.
void order_links(Frame& frame) {
  const LessonWalk& walk = frame.lesson->walk;
  const std::string& text = walk.lesson->text;
  const std::size_t n = walk.lesson->steps.size();
  if (next_link(frame, "Move up", "Puts this step before the one above it", walk.step > 0))
    write_lesson(frame, with_step_moved(text, walk.step, walk.step - 1), walk.step - 1);
  if (next_link(frame, "Move down", "Puts this step after the one below it", walk.step + 1 < n))
    write_lesson(frame, with_step_moved(text, walk.step, walk.step + 1), walk.step + 1);
  if (next_link(frame, "Delete step", "Takes this step out of the lesson; its scene file stays", n > 1))
    write_lesson(frame, without_step(text, walk.step), walk.step > 0 ? walk.step - 1 : 0);
  const auto& before = frame.screen.lesson.before_change;
  const bool can_go_back = before.file == walk.lesson->file && before.text != text;
  if (can_go_back &&
      link(frame.ui, "Undo this change", "Brings the lesson back as it was before", text_size::small))
    write_lesson(frame, before.text, before.step);
}

/// Returns the words of a step without those that every new step begins with, or those of the introduction.
StepWords written_words(const std::string& text, std::optional<std::size_t> step) {
  if (!step) return words_of_introduction(text);
  StepWords words = words_of_step(text, *step);
  if (words.title == words_of_new_step.title) words.title.clear();
  if (words.says == words_of_new_step.says) words.says.clear();
  return words;
}

/// Opens the sheet for a step or the introduction. What was typed before the sheet was left with Escape is
/// still there.
void write_words(Frame& frame, std::optional<std::size_t> step) {
  const std::shared_ptr<const Lesson>& lesson = frame.lesson->walk.lesson;
  StepForm& form = frame.screen.step_form;
  if (form.lesson != lesson || form.step != step)
    form = {false, false, lesson, step, written_words(lesson->text, step)};
  form.open = form.takes_focus = true;
}

/// Remembers the lesson as it is, for the link that undoes the change that follows.
void remember_lesson(Frame& frame) {
  const LessonWalk& walk = frame.lesson->walk;
  frame.screen.lesson.before_change = {walk.lesson->file, walk.lesson->text, walk.step};
}

}  // namespace

void write_lesson(Frame& frame, std::string text, std::size_t step) {
  remember_lesson(frame);
  frame.send(ChangeLesson{std::move(text), step});
}

void author_links(Frame& frame) {
  Ui& ui = frame.ui;
  ImGui::Dummy({0.0F, ui.px(10.0F)});
  divider(ui);
  if (link(ui, "Write this step", "Opens its title and text", text_size::small))
    write_words(frame, frame.lesson->walk.step);
  if (next_link(frame, "Title and introduction", "Opens the words about the whole lesson"))
    write_words(frame, std::nullopt);
  if (next_link(frame, "Show this view here", "Makes what you see now the picture of this step",
                frame.has_left_scene)) {
    remember_lesson(frame);
    frame.send(ShowInStep{});
  }
  if (next_link(frame, "Add this as a step",
                frame.with_keys("Adds what you see to the end of the lesson", CommandId::lesson_add_step)))
    frame.emit(CommandId::lesson_add_step);
  if (next_link(frame, "Read the file again",
                frame.with_keys("After you changed the lesson in a text editor", CommandId::lesson_reload)))
    frame.emit(CommandId::lesson_reload);
  order_links(frame);
}

}  // namespace headscope
