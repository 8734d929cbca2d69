#include "app/parts/author_links.h"

#include <string>
#include <utility>

#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/lesson/edit_lesson.h"

namespace headscope {
namespace {

/// A link after the last one, on the same line if there is room.
bool next_link(Frame& frame, const char* label, const std::string& tooltip) {
  continue_line(frame.ui.px(14.0F), link_width(frame.ui, label, text_size::small));
  return link(frame.ui, label, tooltip.c_str(), text_size::small);
}

/// The links that change the order of the steps, and the one that undoes the last change.
void order_links(Frame& frame) {
  const LessonWalk& walk = frame.lesson->walk;
  const std::string& text = walk.lesson->text;
  const std::size_t n = walk.lesson->steps.size();
  if (walk.step > 0 && next_link(frame, "Move up", "Puts this step before the one above it"))
    write_lesson(frame, with_step_moved(text, walk.step, walk.step - 1), walk.step - 1);
  if (walk.step + 1 < n && next_link(frame, "Move down", "Puts this step after the one below it"))
    write_lesson(frame, with_step_moved(text, walk.step, walk.step + 1), walk.step + 1);
  if (n > 1 && next_link(frame, "Leave out", "Takes this step out of the lesson; its scene file stays"))
    write_lesson(frame, without_step(text, walk.step), walk.step > 0 ? walk.step - 1 : 0);
  const auto& before = frame.screen.lesson.before_change;
  const bool can_go_back = before.file == walk.lesson->file && before.text != text;
  if (can_go_back && next_link(frame, "Undo this change", "Brings the lesson back as it was before"))
    write_lesson(frame, before.text, before.step);
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
      form = {false, walk.lesson, walk.step, words_of_step(walk.lesson->text, walk.step)};
    form.open = true;
  }
  if (next_link(frame, "Add this as a step",
                frame.with_keys("Adds what you see to the end of the lesson", CommandId::lesson_add_step)))
    frame.emit(CommandId::lesson_add_step);
  order_links(frame);
  if (next_link(frame, "Read the file again",
                frame.with_keys("After you changed the lesson in a text editor", CommandId::lesson_reload)))
    frame.emit(CommandId::lesson_reload);
}

}  // namespace headscope
