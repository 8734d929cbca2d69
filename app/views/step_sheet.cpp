#include "app/views/step_sheet.h"

#include <string>
#include <utility>

#include "app/widgets/controls.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"

namespace headscope {
namespace {

/// Writes another text into the lesson's file and goes to one of its steps. The text before can be brought
/// back.
void change(Frame& frame, std::string text, std::size_t step) {
  const LessonWalk& walk = frame.lesson->walk;
  frame.screen.lesson.before_change = {walk.lesson->text, walk.step};
  frame.send(ChangeLesson{std::move(text), step});
}

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
    change(frame, with_step_moved(text, walk.step, walk.step - 1), walk.step - 1);
  if (walk.step + 1 < n && next_link(frame, "Move down", "Puts this step after the one below it"))
    change(frame, with_step_moved(text, walk.step, walk.step + 1), walk.step + 1);
  if (n > 1 && next_link(frame, "Leave out", "Takes this step out of the lesson; its scene file stays"))
    change(frame, without_step(text, walk.step), walk.step > 0 ? walk.step - 1 : 0);
  const auto& [before, step] = frame.screen.lesson.before_change;
  const bool can_go_back = !before.empty() && before != text;
  if (can_go_back && next_link(frame, "Undo this change", "Brings the lesson back as it was before"))
    change(frame, before, step);
}

}  // namespace

void author_links(Frame& frame) {
  Ui& ui = frame.ui;
  const LessonWalk& walk = frame.lesson->walk;
  ImGui::Dummy({0.0F, ui.px(10.0F)});
  divider(ui);
  if (link(ui, "Write this step", "Opens its title and text", text_size::small))
    frame.screen.step_form = {true, walk.lesson, walk.step, words_of_step(walk.lesson->text, walk.step)};
  if (next_link(frame, "Add this as a step",
                frame.with_keys("Adds what you see to the end of the lesson", CommandId::lesson_add_step)))
    frame.emit(CommandId::lesson_add_step);
  order_links(frame);
  if (next_link(frame, "Read the file again",
                frame.with_keys("After you changed the lesson in a text editor", CommandId::lesson_reload)))
    frame.emit(CommandId::lesson_reload);
}

void step_sheet(Frame& frame) {
  StepForm& form = frame.screen.step_form;
  if (!form.open) return;
  // The sheet stays open until the file has been written, so that a text that cannot be read is not lost.
  const bool is_done = frame.lesson == nullptr || frame.lesson->walk.lesson != form.lesson;
  if (is_done) {
    form = {};
    return;
  }
  Ui& ui = frame.ui;
  const Sheet sheet(ui, "write a step", form.open, 720.0F);
  text(ui, "Step " + std::to_string(form.step + 1) + " of “" + form.lesson->title + "”", Font::sans_bold,
       text_size::title, ui.theme().text);
  paragraph(ui, "Title", ui.theme().quiet);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  text_input(ui, "title", form.words.title, {.hint = "What this step shows"});
  paragraph(ui, "Text, in Markdown: **bold**, *italics*, - lists; an empty line begins a paragraph",
            ui.theme().quiet);
  constexpr float height = 220.0F;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  text_input(ui, "text", form.words.says, {.height = ui.px(height)});
  if (button(ui, "Save", "Writes this step into the lesson’s file", "", ButtonLook::primary))
    change(frame, with_words_of_step(form.lesson->text, form.step, form.words), form.step);
  ImGui::SameLine();
  if (button(ui, "Cancel", "Closes without saving (Esc)")) form.open = false;
}

}  // namespace headscope
