#include "app/parts/author_links.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/lesson/edit_lesson.h"

namespace headscope {
namespace {

constexpr float between_links = 14.0F;
constexpr const char* edit_label = "Edit this lesson";
constexpr const char* write_label = "Write this step";
constexpr const char* add_label = "Add a step";
constexpr const char* more_label = "More";

/// Returns the words of a step, without the placeholder that a new step begins with, or of the introduction.
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
  if (form.begins || form.lesson != lesson || form.step != step) {
    form = {};
    form.lesson = lesson;
    form.step = step;
    form.words = form.opened = written_words(lesson->text, step);
  }
  form.open = form.takes_focus = true;
}

/// What the author can do besides writing and adding steps.
struct LessonEdit {
  std::string name;
  std::function<void()> carry_out;
};

/// The edits that apply to this step, in the order of the menu.
std::vector<LessonEdit> edits_of(Frame& frame) {
  const LessonWalk& walk = frame.lesson->walk;
  const std::string& text = walk.lesson->text;
  const std::size_t step = walk.step;
  const std::size_t n = walk.lesson->steps.size();
  std::vector<LessonEdit> edits{{"Title and introduction", [&] { write_words(frame, std::nullopt); }}};
  const auto moved_to = [&frame, &text, step](std::size_t place) {
    return [&frame, &text, step, place] {
      frame.send(ChangeLesson{with_step_moved(text, step, place), place});
    };
  };
  if (step > 0) edits.push_back({"Move this step up", moved_to(step - 1)});
  if (step + 1 < n) edits.push_back({"Move this step down", moved_to(step + 1)});
  if (n > 1)
    edits.push_back({"Delete this step", [&frame, &text, step] {
                       frame.send(ChangeLesson{without_step(text, step), step > 0 ? step - 1 : 0});
                     }});
  edits.push_back({frame.with_keys("Read the file again", CommandId::lesson_reload),
                   [&] { frame.emit(CommandId::lesson_reload); }});
  return edits;
}

}  // namespace

void write_this_step(Frame& frame) {
  write_words(frame, frame.lesson->walk.step);
}

float author_links_height(const Frame& frame) {
  const Ui& ui = frame.ui;
  constexpr float single_line = 36.0F;
  if (!frame.lesson->is_edited) return ui.px(single_line);
  float first_line = 2.0F * ui.px(between_links);
  for (const char* label : {write_label, add_label, more_label}) first_line += link_width(ui, label);
  const bool fits = first_line <= ImGui::GetContentRegionAvail().x;
  return ui.px(fits ? 58.0F : 80.0F);
}

void author_links(Frame& frame) {
  Ui& ui = frame.ui;
  const float between = ui.px(between_links);
  divider(ui);
  if (!frame.lesson->is_edited) {
    if (link(ui, edit_label, "Shows what an author can do: write, add, move and delete steps"))
      frame.send(EditLesson{});
    return;
  }
  if (link(ui, write_label, "Opens its title and text")) write_this_step(frame);
  continue_line(between, link_width(ui, add_label));
  if (link(ui, add_label,
           frame.with_keys("Adds what you see as a step after this one", CommandId::lesson_add_step).c_str()))
    frame.emit(CommandId::lesson_add_step);
  continue_line(between, link_width(ui, more_label));
  const std::vector<LessonEdit> edits = edits_of(frame);
  std::vector<std::string> names;
  names.reserve(edits.size());
  for (const LessonEdit& edit : edits) names.push_back(edit.name);
  if (const auto chosen = link_menu(ui, more_label, names, "Moves, deletes and renames"))
    edits[static_cast<std::size_t>(*chosen)].carry_out();
  if (link_if(ui, frame.has_left_scene, "Use what you see for this step",
              "The step then opens with the present view"))
    frame.send(ShowInStep{});
}

}  // namespace headscope
