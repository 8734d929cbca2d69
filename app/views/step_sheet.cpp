#include <memory>
#include <string>
#include <utility>

#include "app/imgui/keys.h"
#include "app/parts/page_part.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/lesson/condition.h"
#include "core/lesson/edit_lesson.h"

namespace headscope {
namespace {

std::string heading_of(const StepForm& form) {
  if (form.begins) return "A lesson of your own";
  const std::string about = form.step ? "Step " + std::to_string(*form.step + 1) + " of" : "Introduction to";
  return about + " “" + form.lesson->title + "”";
}

Event saved(const Frame& frame, const StepForm& form) {
  if (form.begins) return CreateLesson{frame.screen.export_form.folder, form.words};
  const std::string& before = form.lesson->text;
  return ChangeLesson{
      form.step ? with_step_text(before, *form.step, form.words) : with_introduction(before, form.words),
      frame.lesson->walk.step};
}

/// Reacts to changes of the lesson since the last frame. The words are kept until they have been written, so
/// they are not lost if the file cannot be written or if the lesson is changed in another way first.
void follow_lesson(const Frame& frame, StepForm& form) {
  if (form.is_saving && frame.is_writing_lesson) return;
  const std::shared_ptr<const Lesson> shown = frame.lesson ? frame.lesson->walk.lesson : nullptr;
  const bool is_changed = shown != form.lesson;
  if (form.is_saving && is_changed) {
    form = {};
  } else if (form.is_saving) {
    form.is_saving = false;
  } else if (form.open && is_changed) {
    const bool is_same_file = shown && form.lesson && shown->file == form.lesson->file && !form.begins;
    if (is_same_file) form.lesson = shown;
    form.open = is_same_file;
  }
}

void fields(Ui& ui, StepForm& form) {
  const std::string& title = form.step     ? default_step_text.title
                             : form.begins ? default_lesson_title
                                           : form.lesson->title;
  paragraph(ui, "Title");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (std::exchange(form.takes_focus, false)) ui.focus_next_item();
  text_input(ui, "title", form.words.title, {.hint = title.c_str()});
  paragraph(ui, std::string(form.step ? "Text" : "Introduction") +
                    ", in Markdown: **bold**, - lists, [links](https://…); an empty line begins a paragraph");
  constexpr float height_of_step = 130.0F;
  constexpr float height_of_introduction = 100.0F;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (std::exchange(form.text_takes_focus, false)) ui.focus_next_item();
  text_input(ui, "text", form.words.body,
             {.height = ui.px(form.step ? height_of_step : height_of_introduction)});
}

void question_fields(Frame& frame, StepForm& form) {
  Ui& ui = frame.ui;
  QuestionText& question = *form.words.question;
  const auto field = [&](const char* name, const char* id, std::string& part, const TextInputOptions& look) {
    paragraph(ui, name);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    text_input(ui, id, part, look);
  };
  const float two_lines = ui.px(46.0F);
  if (std::exchange(form.text_takes_focus, false)) ui.focus_next_item();
  field("Question", "asks", question.prompt, {.height = two_lines});
  field("Answered when", "expect", question.expect, {.hint = "setting attention.causal = on"});
  tooltip_for_item(
      ui, ("The condition that is true once it is answered, such as " + possible_conditions()).c_str());
  if (link(
          ui, "Use what I just did as the answer",
          "Answer the question in the window, then come back here: the difference from the step's scene becomes the condition")) {
    const std::string done =
        condition_from_changes(frame.lesson->walk.at().session, {frame.session, frame.trace.get()});
    if (done.empty()) {
      frame.screen.toasts.push(
          "Nothing that a condition can express differs from the step's scene: close the sheet, answer the question yourself, and open it again.");
    } else {
      question.expect = done;
    }
  }
  field("Hint", "hint", question.hint, {.hint = "It is a switch among the settings."});
  field("Answer, shown afterwards", "reveal", question.reveal, {.height = two_lines});
  field("Wrong answers (wrong: CONDITION -> REPLY) and the scene of the answer (show: OPTIONS)", "others",
        question.others, {.height = two_lines});
  if (link(ui, "Without a question", "Removes the question from this step")) form.words.question.reset();
}

/// The text and the question as readers see them, and what is wrong with them.
void preview(Frame& frame, const StepForm& form) {
  Ui& ui = frame.ui;
  divider(ui);
  paragraph(ui, "Preview");
  const auto show = [&](const std::string& markdown, const Color& color) {
    const auto prose = read_prose(markdown, 1);
    if (!prose) return paragraph(ui, prose.error().message, ui.theme().warning);
    draw_prose(frame, *prose, color, text_size::body, *form.lesson);
  };
  show(without_directives(form.words.body), ui.theme().text);
  if (!form.words.question) return;
  show(form.words.question->prompt, ui.theme().accent);
  const auto expected = read_condition(form.words.question->expect);
  if (!expected) paragraph(ui, "Answered when: " + expected.error().message + ".", ui.theme().warning);
  if (form.words.question->prompt.empty()) paragraph(ui, "The question is missing.", ui.theme().warning);
  if (form.words.question->reveal.empty())
    paragraph(ui, "The answer is missing: it is shown once the question is answered.", ui.theme().warning);
}

}  // namespace

void step_sheet(Frame& frame) {
  StepForm& form = frame.screen.step_form;
  follow_lesson(frame, form);
  if (!form.open) return;
  Ui& ui = frame.ui;
  const Sheet sheet(ui, "write a step", form.open, 720.0F);
  if (!form.open && !form.is_saving && form.words != form.original)
    frame.screen.toasts.push(
        "What you typed is kept until you write another step. Open the sheet again to go on.");
  text(ui, heading_of(form), Font::sans_bold, text_size::title, ui.theme().text);
  if (form.begins)
    paragraph(ui, "What you see now becomes its first step. You can write its text and add more steps later.",
              ui.theme().text);
  fields(ui, form);
  if (form.step && form.words.question) {
    question_fields(frame, form);
  } else if (form.step && link(ui, "Add a question", "Adds a task whose answer the window recognises")) {
    form.words.question.emplace();
    form.text_takes_focus = true;
  }
  if (form.step) preview(frame, form);
  const std::string& folder = frame.screen.export_form.folder;
  const std::string about = form.begins ? "The lesson and its scenes get their own folder in " +
                                              (folder == "~" ? "your home folder" : folder) +
                                              ". Share the entire folder."
                            : form.step ? ""
                                        : "It stands above the first step and in the list of lessons.";
  if (!about.empty()) paragraph(ui, about);
  const bool can_save = !form.is_saving && !frame.is_writing_lesson;
  ImGui::BeginDisabled(!can_save);
  const bool saves = button(ui, form.begins ? "Begin" : "Save",
                            form.begins ? "Writes the lesson and opens it: Ctrl+Enter"
                                        : "Writes this into the lesson's file: Ctrl+Enter",
                            "", ButtonStyle::primary);
  ImGui::EndDisabled();
  if (can_save && (saves || chord_pressed(Chord{Key::enter, true}))) {
    form.is_saving = true;
    frame.send(saved(frame, form));
  }
  ImGui::SameLine();
  if (!button(ui, "Cancel", "Closes without saving")) return;
  form = {};
  frame.screen.toasts.answer();
}

}  // namespace headscope
