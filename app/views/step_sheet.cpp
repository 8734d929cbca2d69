#include <memory>
#include <string>
#include <utility>

#include "app/imgui/keys.h"
#include "app/views/sheets.h"
#include "app/widgets/controls.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/lesson/edit_lesson.h"

namespace headscope {
namespace {

/// What the sheet writes, as its heading.
std::string heading_of(const StepForm& form) {
  if (form.begins) return "A lesson of your own";
  const std::string about = form.step ? "Step " + std::to_string(*form.step + 1) + " of" : "Introduction to";
  return about + " “" + form.lesson->title + "”";
}

/// The event that writes the words of the sheet.
Event saved(const Frame& frame, const StepForm& form) {
  if (form.begins) return BeginLesson{frame.screen.export_form.folder, form.words};
  const std::string& before = form.lesson->text;
  return ChangeLesson{
      form.step ? with_words_of_step(before, *form.step, form.words) : with_introduction(before, form.words),
      frame.lesson->walk.step};
}

/// The fields for the title and the text.
void fields(Ui& ui, StepForm& form) {
  const std::string& title = form.step ? words_of_new_step.title : title_of_new_lesson;
  paragraph(ui, "Title", ui.theme().quiet);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (std::exchange(form.takes_focus, false)) ui.give_keyboard_to_next_item();
  text_input(ui, "title", form.words.title, {.hint = title.c_str()});
  paragraph(ui,
            std::string(form.step ? "Text" : "Introduction") +
                ", in Markdown: **bold**, *italics*, - lists; an empty line begins a paragraph",
            ui.theme().quiet);
  constexpr float height_of_step = 220.0F;
  constexpr float height_of_introduction = 100.0F;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  text_input(ui, "text", form.words.says,
             {.height = ui.px(form.step ? height_of_step : height_of_introduction)});
}

}  // namespace

void step_sheet(Frame& frame) {
  StepForm& form = frame.screen.step_form;
  if (!form.open) return;
  // The sheet stays open until the file has been written, so that a text that cannot be read is not lost.
  const std::shared_ptr<const Lesson> shown = frame.lesson ? frame.lesson->walk.lesson : nullptr;
  if (shown != form.lesson) {
    form = {};
    return;
  }
  Ui& ui = frame.ui;
  const Sheet sheet(ui, "write a step", form.open, 720.0F);
  text(ui, heading_of(form), Font::sans_bold, text_size::title, ui.theme().text);
  if (form.begins)
    paragraph(ui, "What you see now becomes its first step. You can write its text and add more steps later.",
              ui.theme().text);
  fields(ui, form);
  if (form.step && link(ui, "Add a question",
                        "Adds a question with its parts to the end of the text, for you to complete")) {
    if (!form.words.says.empty()) form.words.says += "\n\n";
    form.words.says += question_to_complete;
  }
  const std::string& folder = frame.screen.export_form.folder;
  const std::string about =
      form.begins
          ? "The lesson and its scenes are kept in a folder of their own in " +
                (folder == "~" ? "your home folder" : folder) + ". This folder is all that a reader needs."
      : form.step
          ? "A question counts as answered once what stands after “expect” holds: row = it, head = 1.0, page "
            "= lines, setting attention.causal = on … assets/README.md lists all conditions."
          : "It stands above the first step and in the list of lessons.";
  paragraph(ui, about, ui.theme().quiet);
  const bool saves = button(ui, form.begins ? "Begin" : "Save",
                            form.begins ? "Writes the lesson and opens it: Ctrl+Enter"
                                        : "Writes this into the lesson's file: Ctrl+Enter",
                            "", ButtonLook::primary);
  if (saves || chord_pressed(Chord{Key::enter, true})) frame.send(saved(frame, form));
  ImGui::SameLine();
  if (button(ui, "Cancel", "Closes without saving")) form = {};
}

}  // namespace headscope
