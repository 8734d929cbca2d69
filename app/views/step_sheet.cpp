#include <string>
#include <utility>

#include "app/imgui/keys.h"
#include "app/parts/author_links.h"
#include "app/views/sheets.h"
#include "app/widgets/controls.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/lesson/edit_lesson.h"

namespace headscope {

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
  const std::string about = form.step ? "Step " + std::to_string(*form.step + 1) + " of" : "Introduction to";
  text(ui, about + " “" + form.lesson->title + "”", Font::sans_bold, text_size::title, ui.theme().text);
  paragraph(ui, "Title", ui.theme().quiet);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (std::exchange(form.takes_focus, false)) ui.give_keyboard_to_next_item();
  text_input(ui, "title", form.words.title, {.hint = words_of_new_step.title.c_str()});
  paragraph(ui, "Text, in Markdown: **bold**, *italics*, - lists; an empty line begins a paragraph",
            ui.theme().quiet);
  constexpr float height = 220.0F;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  text_input(ui, "text", form.words.says, {.height = ui.px(height)});
  paragraph(
      ui,
      "Questions and locks are blocks that begin with ```ask and ```controls; assets/README.md describes them.",
      ui.theme().quiet);
  const bool saves =
      button(ui, "Save", "Writes this into the lesson's file: Ctrl+Enter", "", ButtonLook::primary);
  if (saves || chord_pressed(Chord{Key::enter, true})) {
    const std::string& before = form.lesson->text;
    write_lesson(frame,
                 form.step ? with_words_of_step(before, *form.step, form.words)
                           : with_introduction(before, form.words),
                 frame.lesson->walk.step);
  }
  ImGui::SameLine();
  if (button(ui, "Cancel", "Closes without saving")) form = {};
}

}  // namespace headscope
