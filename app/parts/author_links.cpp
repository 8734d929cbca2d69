#include "app/parts/author_links.h"

#include <string>
#include <utility>

#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/figure/colormap.h"
#include "core/lesson/edit_lesson.h"

namespace headscope {
namespace {

/// A link after the last one, on the same line if there is room.
bool next_link(Frame& frame, const char* label, const std::string& tooltip) {
  continue_line(frame.ui.px(14.0F), link_width(frame.ui, label, text_size::small));
  return link(frame.ui, label, tooltip.c_str(), text_size::small);
}

/// The same, pale and without effect where it does not apply, so that the links after it stay in their
/// places.
bool next_link_if(Frame& frame, bool applies, const char* label, const std::string& tooltip) {
  if (applies) return next_link(frame, label, tooltip);
  const Theme& theme = frame.ui.theme();
  continue_line(frame.ui.px(14.0F), link_width(frame.ui, label, text_size::small));
  text(frame.ui, label, Font::sans, text_size::small, mixed(theme.panel, theme.quiet, 0.6F));
  return false;
}

/// The links that change the order of the steps, and below them the one that undoes the last change.
void order_links(Frame& frame) {
  const LessonWalk& walk = frame.lesson->walk;
  const std::string& text = walk.lesson->text;
  const std::size_t n = walk.lesson->steps.size();
  if (next_link_if(frame, walk.step > 0, "Move up", "Puts this step before the one above it"))
    write_lesson(frame, with_step_moved(text, walk.step, walk.step - 1), walk.step - 1);
  if (next_link_if(frame, walk.step + 1 < n, "Move down", "Puts this step after the one below it"))
    write_lesson(frame, with_step_moved(text, walk.step, walk.step + 1), walk.step + 1);
  if (next_link_if(frame, n > 1, "Delete step", "Takes this step out of the lesson; its scene file stays"))
    write_lesson(frame, without_step(text, walk.step), walk.step > 0 ? walk.step - 1 : 0);
  const auto& before = frame.screen.lesson.before_change;
  const bool can_go_back = before.file == walk.lesson->file && before.text != text;
  if (can_go_back &&
      link(frame.ui, "Undo this change", "Brings the lesson back as it was before", text_size::small))
    write_lesson(frame, before.text, before.step);
}

/// The words of a step. Those that stand in a new step until somebody writes her own are left out.
StepWords written_words(const std::string& text, std::size_t step) {
  StepWords words = words_of_step(text, step);
  if (words.title == words_of_new_step.title) words.title.clear();
  if (words.says == words_of_new_step.says) words.says.clear();
  return words;
}

}  // namespace

void write_lesson(Frame& frame, std::string text, std::size_t step) {
  const LessonWalk& walk = frame.lesson->walk;
  frame.screen.lesson.before_change = {walk.lesson->file, walk.lesson->text, walk.step};
  frame.send(ChangeLesson{std::move(text), step});
}

void author_links(Frame& frame) {
  Ui& ui = frame.ui;
  const LessonWalk& walk = frame.lesson->walk;
  ImGui::Dummy({0.0F, ui.px(10.0F)});
  divider(ui);
  if (link(ui, "Write this step", "Opens its title and text", text_size::small)) {
    StepForm& form = frame.screen.step_form;
    // What was typed before the sheet was left with Escape is still there.
    if (form.lesson != walk.lesson || form.step != walk.step)
      form = {false, false, walk.lesson, walk.step, written_words(walk.lesson->text, walk.step)};
    form.open = form.takes_focus = true;
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
