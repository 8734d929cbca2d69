#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/parts/export_form.h"
#include "app/parts/page_part.h"
#include "app/parts/setting_control.h"
#include "app/ui/figure_painter.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/lesson/edit_lesson.h"
#include "core/lesson/lesson.h"
#include "core/lesson/prose.h"
#include "core/lesson/read_lesson.h"
#include "core/page/parts/prose_picture.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float between_author_links = 14.0F;
constexpr const char* edit_label = "Edit this lesson";
constexpr const char* write_label = "Write this step";
constexpr const char* add_label = "Add a step";
constexpr const char* more_label = "More";

/// The words of a step, without the placeholder of a new one, or of the introduction.
StepText written_words(const std::string& text, std::optional<std::size_t> step) {
  if (!step) return parse_introduction(text);
  StepText words = parse_step(text, *step);
  if (words.title == default_step_text.title) words.title.clear();
  if (words.body == default_step_text.body) words.body.clear();
  return words;
}

/// Opens the sheet for a step or the introduction, with what was typed before Escape.
void open_step_sheet(Frame& frame, std::optional<std::size_t> step) {
  const std::shared_ptr<const Lesson>& lesson = frame.lesson->walk.lesson;
  StepForm& form = frame.screen.step_form;
  if (form.begins || form.lesson != lesson || form.step != step) {
    form = {};
    form.lesson = lesson;
    form.step = step;
    form.words = form.original = written_words(lesson->text, step);
  }
  form.open = form.takes_focus = true;
}

/// What the author can do besides writing and adding steps, by its name.
using LessonEdit = std::pair<std::string, std::function<void()>>;

/// The edits that apply to this step, in the order of the menu.
std::vector<LessonEdit> edits_of(Frame& frame) {
  const LessonWalk& walk = frame.lesson->walk;
  const std::string& text = walk.lesson->text;
  const std::size_t step = walk.step;
  const std::size_t n = walk.lesson->steps.size();
  std::vector<LessonEdit> edits{{"Title and introduction", [&] { open_step_sheet(frame, std::nullopt); }}};
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
  edits.push_back({frame.with_keys("Read the file again", CommandId::reload_lesson),
                   [&] { frame.emit(CommandId::reload_lesson); }});
  return edits;
}

/// Opens the sheet in which the author writes the step that is shown.
void edit_current_step(Frame& frame) {
  open_step_sheet(frame, frame.lesson->walk.step);
}

float author_links_height(const Frame& frame) {
  const Ui& ui = frame.ui;
  constexpr float single_line = 36.0F;
  if (!frame.lesson->is_edited) return ui.px(single_line);
  float first_line = 2.0F * ui.px(between_author_links);
  for (const char* label : {write_label, add_label, more_label}) first_line += link_width(ui, label);
  const bool fits = first_line <= ImGui::GetContentRegionAvail().x;
  return ui.px(fits ? 58.0F : 80.0F);
}

/// The links below a step of a lesson that was opened from a file, with which it is written and rearranged.
/// Their height in ImGui pixels is always the same.
void author_links(Frame& frame) {
  Ui& ui = frame.ui;
  const float between = ui.px(between_author_links);
  divider(ui);
  if (!frame.lesson->is_edited) {
    if (link(ui, edit_label, "Tools for authors: write, add, move and delete steps"))
      frame.send(SceneOrder::edit_lesson);
    return;
  }
  if (link(ui, write_label, "Opens its title and text")) edit_current_step(frame);
  continue_line(between, link_width(ui, add_label));
  command_link(frame, add_label, "Adds what you see as a step after this one", CommandId::add_lesson_step);
  continue_line(between, link_width(ui, more_label));
  const std::vector<LessonEdit> edits = edits_of(frame);
  std::vector<std::string> names;
  names.reserve(edits.size());
  for (const LessonEdit& edit : edits) names.push_back(edit.first);
  if (const auto chosen = link_menu(ui, more_label, names, "Moves, deletes and renames"))
    edits[static_cast<std::size_t>(*chosen)].second();
  if (link_if(ui, frame.has_changed_scene, "Use what you see for this step",
              "The step will open with the current view"))
    frame.send(SceneOrder::set_step_scene);
}

void prose(Frame& frame, const Prose& text, Color color, float size = text_size::body) {
  draw_prose(frame, text, color, size, *frame.lesson->walk.lesson);
}

void space(const Frame& frame, float height) {
  ImGui::Dummy({0.0F, frame.ui.px(height)});
}

/// The progress through the lesson, as a partly filled line.
void progress_line(const Frame& frame, const LessonWalk& walk) {
  const Ui& ui = frame.ui;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(3.0F);
  const float share = static_cast<float>(walk.step + 1) / static_cast<float>(walk.lesson->steps.size());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, packed(ui.theme().control), height / 2.0F);
  list.AddRectFilled(at, {at.x + std::round(width * share), at.y + height}, packed(ui.theme().accent),
                     height / 2.0F);
  ImGui::Dummy({width, height});
}

void heading(Frame& frame, const LessonWalk& walk) {
  Ui& ui = frame.ui;
  const ImVec2 start = ImGui::GetCursorPos();
  const float right = start.x + ImGui::GetContentRegionAvail().x;
  const std::string place =
      "step " + std::to_string(walk.step + 1) + " of " + std::to_string(walk.lesson->steps.size());
  constexpr const char* close = "Close";
  const float close_width = ui.measure()(close, Font::sans, text_size::control).width * ui.scale();
  text_line(ui, {{"Lesson", Font::sans_bold, text_size::small, ui.theme().accent},
                 {place, Font::sans, text_size::small, ui.theme().quiet}});
  const ImVec2 below = ImGui::GetCursorPos();
  ImGui::SetCursorPos({right - close_width - ui.px(2.0F), start.y});
  command_link(frame, close, "Closes the lesson; what you see stays", CommandId::close_lesson);
  ImGui::SetCursorPos(below);
  progress_line(frame, walk);
  space(frame, 2.0F);
  paragraph(ui, walk.lesson->title, ui.theme().quiet, text_size::control);
}

void help_buttons(Frame& frame, const LessonQuestion& question, const LessonWalk::Answered& answered) {
  Ui& ui = frame.ui;
  if (!question.hint.empty() && !answered.has_hint) {
    if (button(ui, "Hint", "Helps without giving the answer away")) frame.send(SceneOrder::show_hint);
    ImGui::SameLine(0.0F, ui.px(8.0F));
  }
  const bool shows = question.shown.has_value();
  if (button(ui, shows ? "Show me" : "Tell me",
             shows ? "Shows the answer in the picture and explains it" : "Tells the answer"))
    frame.send(SceneOrder::reveal_answer);
}

/// The result of the question, or help with it while it is open.
void answer(Frame& frame, const LessonQuestion& question, const LessonWalk& walk, float size) {
  Ui& ui = frame.ui;
  const Theme& theme = ui.theme();
  const LessonWalk::Answered& answered = walk.here();
  if (answered.is_right || answered.is_revealed) {
    const char* done = is_met_by_finding(question.expect) ? "✓ Correct" : "✓ Done";
    text(ui, answered.is_right ? done : "The answer", Font::sans_bold, size,
         answered.is_right ? theme.right : theme.text);
    prose(frame, question.reveal, theme.text, size);
    // An answer may state numbers that hold for one sentence only.
    const Session& told = question.shown ? *question.shown : walk.at().session;
    if (frame.session.sentence != told.sentence)
      paragraph(ui, "This is true of “" + told.sentence + "”.", theme.quiet, text_size::control);
    return;
  }
  // Of a number that was typed into a covered cell.
  const std::string complaint = walk.at().session.cover.stage ? frame.screen.answer.complaint : "";
  if (walk.wrong || walk.is_attempted || !complaint.empty()) {
    text(ui, "× Not yet", Font::sans_bold, size, theme.warning);
    if (walk.wrong) prose(frame, question.wrong[*walk.wrong].body, theme.text, size);
    if (!complaint.empty()) paragraph(ui, complaint, theme.text, size);
  }
  if (answered.has_hint) prose(frame, question.hint, theme.quiet, size);
  space(frame, 2.0F);
  help_buttons(frame, question, answered);
}

/// A field for the sentence or the target, whose bar a presentation leaves out.
void presented_field(Frame& frame, bool is_target) {
  Ui& ui = frame.ui;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float inset = ui.px(8.0F);
  const float height = ui.fonts.at(Font::sans, text_size::sentence).line_height + ui.px(8.0F);
  paint::card(ui, *ImGui::GetWindowDrawList(), at, {at.x + width, at.y + height}, ui.theme().panel,
              ui.theme().line, ui.px(6.0F));
  ImGui::SetCursorScreenPos({at.x + inset, at.y});
  std::string text = is_target ? frame.target : frame.sentence;
  SentenceFieldOptions options;
  options.width = width - 2.0F * inset;
  options.take_focus = !is_target && std::exchange(frame.screen.focus_sentence, false);
  if (!sentence_field(ui, is_target ? "##target" : "##sentence", text, options)) return;
  if (is_target) return frame.emit(SetTarget{text});
  frame.emit(SetSentence{text});
}

/// The settings that a step points at or asks for, each once.
std::vector<const Setting*> settings_of(const LessonStep& step) {
  std::vector<const Setting*> named;
  const auto add = [&](const auto& from) {
    for (const auto& each : from) {
      if (each.setting != nullptr && std::ranges::count(named, each.setting) == 0)
        named.push_back(each.setting);
    }
  };
  add(step.focus);
  if (step.question) add(step.question->expect);
  return named;
}

/// What a step of a presentation points at or asks for, because there is no bar and no panel with settings.
void presented_controls(Frame& frame, const LessonStep& step, float size) {
  for (const Setting* setting : settings_of(step)) {
    const std::string_view key = setting->key;
    if (key == "sentence" || key == "target") {
      presented_field(frame, key == "target");
    } else {
      setting_control(frame, *setting);
    }
  }
  if (step.question && asks_for_head(step.question->expect))
    paragraph(frame.ui,
              "Another head: press " + frame.keys_of(CommandId::previous_head) + " or " +
                  frame.keys_of(CommandId::next_head),
              frame.ui.theme().quiet, size);
}

constexpr float question_inset = 12.0F;

/// The question beside a line in the accent colour.
void question_part(Frame& frame, const LessonQuestion& question, const LessonWalk& walk, float size) {
  Ui& ui = frame.ui;
  space(frame, 6.0F);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float inset = ui.px(question_inset);
  ImGui::Indent(inset);
  ImGui::BeginGroup();
  text(ui, "Your turn", Font::sans_bold, size - 1.0F, ui.theme().accent);
  prose(frame, question.prompt, ui.theme().text, size);
  const bool is_answered = walk.here().is_right || walk.here().is_revealed;
  answer(frame, question, walk, size);
  ImGui::EndGroup();
  LessonPanelState& screen = frame.screen.lesson;
  // Text of a new size has its height only after its letters have been baked.
  constexpr int frames_to_settle = 3;
  if (is_answered && !std::exchange(screen.is_answered, is_answered))
    screen.frames_to_answer = frames_to_settle;
  if (screen.frames_to_answer > 0) {
    --screen.frames_to_answer;
    ImGui::SetScrollHereY(1.0F);
    ui.wake_in(0.0);
  }
  ImGui::Unindent(inset);
  const float bottom = ImGui::GetItemRectMax().y;
  ImGui::GetWindowDrawList()->AddRectFilled(top, {top.x + ui.px(3.0F), bottom}, packed(ui.theme().accent),
                                            ui.px(1.5F));
}

/// The lesson after this one in the program's list. Null after the last one, and for a lesson that is not one
/// of the program's.
const EmbeddedFile* lesson_after(const Lesson& lesson) {
  const auto all = lesson_files();
  const auto found = std::ranges::find(all, lesson.name, &EmbeddedFile::name);
  if (!lesson.file.empty() || found == all.end() || found + 1 == all.end()) return nullptr;
  return &*(found + 1);
}

void next_button(Frame& frame, const LessonWalk& walk) {
  Ui& ui = frame.ui;
  const bool skips = walk.is_open(walk.step);
  const EmbeddedFile* after = walk.is_last() ? lesson_after(*walk.lesson) : nullptr;
  const char* label = !walk.is_last()    ? (skips ? "Skip ›" : "Next ›")
                      : after != nullptr ? "Next lesson ›"
                                         : "Close";
  ImGui::SameLine();
  const float width = button_width(ui, label);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(ImGui::GetContentRegionAvail().x - width, 0.0F));
  const std::string tooltip =
      !walk.is_last() ? frame.with_keys(skips ? "Goes on without an answer" : "Goes to the next step",
                                        CommandId::next_lesson_step)
      : after != nullptr
          ? "Opens the lesson “" + outline_of_lesson(std::string(after->name), after->text).title + "”"
          : "Closes the lesson, which has ended";
  if (!button(ui, label, tooltip.c_str(), "", skips ? ButtonStyle::plain : ButtonStyle::primary)) return;
  if (!walk.is_last()) return frame.emit(CommandId::next_lesson_step);
  if (after == nullptr) return frame.emit(CommandId::close_lesson);
  frame.send(OpenLesson{std::string(after->name)});
}

/// The reader's results, once the last step has been reached.
void summary(const Frame& frame, const LessonWalk& walk) {
  std::size_t n_questions = 0;
  std::size_t n_right = 0;
  std::string open;
  for (std::size_t i = 0; i < walk.lesson->steps.size(); ++i) {
    if (!walk.lesson->steps[i].question) continue;
    ++n_questions;
    n_right += walk.answered[i].is_right ? 1 : 0;
    if (walk.is_open(i) && i != walk.step)
      open += (open.empty() ? "step " : ", step ") + std::to_string(i + 1);
  }
  if (n_questions == 0 || walk.is_open(walk.step)) return;
  space(frame, 10.0F);
  divider(frame.ui);
  paragraph(frame.ui,
            "This is the end of the lesson. You answered " + std::to_string(n_right) + " of " +
                count_text(static_cast<long long>(n_questions), "question") + " yourself." +
                (open.empty() ? "" : " Still open: " + open + "."),
            frame.ui.theme().text, text_size::body);
}

/// The link back to what the step shows, and the links to the steps before and after. The height is always
/// the same.
void navigation(Frame& frame, const LessonWalk& walk) {
  Ui& ui = frame.ui;
  const ImVec2 start = ImGui::GetCursorPos();
  if (frame.has_changed_scene)
    command_link(frame, "Restore this step", "Restores this step's scene; undo returns",
                 CommandId::restore_lesson_step);
  ImGui::SetCursorPos({start.x, start.y + ui.px(22.0F)});
  if (walk.step > 0) {
    command_button(frame, "‹ Back", "Goes to the previous step", CommandId::previous_lesson_step,
                   ButtonStyle::quiet);
  } else {
    ImGui::Dummy({1.0F, ui.px(28.0F)});
  }
  next_button(frame, walk);
}

/// Whether the step is new. Then scrolls to the top and reveals the control that it is about.
bool is_new(Frame& frame, const LessonWalk& walk) {
  LessonPanelState& screen = frame.screen.lesson;
  if (screen.lesson == walk.lesson && screen.step == walk.step) return false;
  screen.lesson = walk.lesson;
  screen.step = walk.step;
  screen.is_answered = walk.here().is_right || walk.here().is_revealed;
  screen.frames_to_answer = 0;
  screen.started_at = ImGui::GetTime();
  for (const LessonFocus& focus : walk.at().focus) {
    if (focus.kind == LessonFocus::Kind::control && !frame.screen.presents)
      frame.ui.reveal(of_selected_mask(frame.session, *focus.setting).sentence);
  }
  return true;
}

/// Says what the scene of a step is missing and how to provide it, above the stored picture.
void missing_scene_notice(Frame& frame, const LessonWalk& walk) {
  if (walk.at().missing_parts.empty()) return;
  Ui& ui = frame.ui;
  notice(ui,
         walk.at().missing_parts + ". Put it into the folder of the lesson, then " +
             frame.with_keys("read the lesson again", CommandId::reload_lesson) + ".",
         NoticeKind::warning);
  const float width = ImGui::GetContentRegionAvail().x / ui.scale();
  const std::tuple key(walk.lesson, walk.step, width);
  auto& [drawn_for, picture] =
      frame.screen.own.of<std::pair<std::remove_const_t<decltype(key)>, Figure>>("incomplete step");
  if (drawn_for != key) picture = stored_picture(walk.at(), width);
  drawn_for = key;
  if (!picture.items.empty()) figure_item(ui, picture);
}

/// How much larger the title of a step is than its text.
constexpr float title_share = text_size::title / text_size::body;

/// The title of the step, its text, and its question.
void step_text(Frame& frame, const LessonWalk& walk, float size) {
  const Theme& theme = frame.ui.theme();
  const LessonStep& step = walk.at();
  prose(frame, heading_of(step.title), theme.text, title_share * size);
  missing_scene_notice(frame, walk);
  prose(frame, step.body, theme.text, size);
  if (frame.screen.presents) presented_controls(frame, step, size);
  if (step.question) question_part(frame, *step.question, walk, size);
}

/// The height of a text with the space after it, in ImGui pixels. `width` is in design units.
float prose_height(const Frame& frame, const Prose& text, float width, float size) {
  if (text.empty()) return 0.0F;
  const Ui& ui = frame.ui;
  const Theme& theme = ui.theme();
  const ProsePicture picture = prose_picture(text, width, size, theme.text, theme, ui.measure());
  return ui.px(picture.figure.height) + ImGui::GetStyle().ItemSpacing.y;
}

/// The height that the answer to an open question will add, in place of what helps now.
float answer_height(const Frame& frame, float size) {
  const LessonWalk& walk = frame.lesson->walk;
  if (!walk.is_open(walk.step) || walk.here().has_hint || walk.wrong || walk.is_attempted) return 0.0F;
  const float width = ImGui::GetContentRegionAvail().x / frame.ui.scale() - question_inset;
  return prose_height(frame, walk.at().question->reveal, width, size) + frame.ui.px(0.5F * size);
}

/// About the height of a presented step with the answer to its question, in letters of this size.
float presented_height(const Frame& frame, const Lesson& lesson, const LessonStep& step, float width,
                       float size) {
  const auto height_of = [&](const Prose& text, float letters = 0.0F, float inset = 0.0F) {
    return prose_height(frame, text, width - inset, letters > 0.0F ? letters : size);
  };
  constexpr float control_height = 40.0F;
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  float height = height_of(heading_of(step.title), title_share * size) + height_of(step.body);
  if (&step == &lesson.steps.front())
    height += height_of(heading_of(lesson.title)) + height_of(lesson.summary);
  height += static_cast<float>(settings_of(step).size()) * (frame.ui.px(control_height) + spacing);
  if (!step.question) return height;
  // Above the question and above the answer, there is a line.
  constexpr float line_height = 1.3F;
  const float lines = 2.0F * (frame.ui.px(line_height * size) + spacing);
  return height + lines + frame.ui.px(6.0F) + height_of(step.question->prompt, size, question_inset) +
         height_of(step.question->reveal, size, question_inset);
}

}  // namespace

void presented_step(Frame& frame, ImVec2 size) {
  const LessonWalk& walk = frame.lesson->walk;
  const bool begins = is_new(frame, walk);
  // All steps of a lesson have letters of one size, which depends on all of this. It leaves room for the
  // answers, which would change it.
  const std::tuple text(walk.lesson, size.x, size.y);
  auto& [shown, letters] =
      frame.screen.own.of<std::pair<std::remove_const_t<decltype(text)>, float>>("presented steps");
  // Every size of text is baked once, so there are few.
  constexpr float smallest = 14.0F;
  constexpr float step = 2.0F;
  constexpr float share_of_window = 0.0375F;
  const Ui& ui = frame.ui;
  const float window = ImGui::GetIO().DisplaySize.y / ui.scale();
  const float largest = std::max(step * std::floor(share_of_window * window / step), smallest);
  if (std::exchange(shown, text) != text) {
    const auto fits_in_window = [&, &with = letters](const LessonStep& each) {
      return presented_height(frame, *walk.lesson, each, size.x / ui.scale(), with) <= size.y;
    };
    letters = largest;
    while (letters > smallest && !std::ranges::all_of(walk.lesson->steps, fits_in_window)) letters -= step;
  }
  begin_child("presented step", size, ImGuiWindowFlags_NoNav);
  if (begins) ImGui::SetScrollY(0.0F);
  if (walk.step == 0) {
    prose(frame, heading_of(walk.lesson->title), frame.ui.theme().accent, letters);
    prose(frame, walk.lesson->summary, frame.ui.theme().quiet, letters);
  }
  step_text(frame, walk, letters);
  const float answer = answer_height(frame, letters);
  const float bottom = ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y + answer;
  const bool fits = bottom <= ImGui::GetWindowHeight();
  end_child();
  // What a learner asks for or answers must not shrink the letters.
  const bool is_untouched = !walk.at().question || answer > 0.0F;
  if (fits || !is_untouched || letters <= smallest) return;
  letters -= step;
  frame.ui.wake_in(0.0);
}

void lesson_panel(Frame& frame) {
  Ui& ui = frame.ui;
  const LessonWalk& walk = frame.lesson->walk;
  const bool begins = is_new(frame, walk);
  constexpr float navigation_height = 58.0F;
  const bool is_own = !walk.lesson->file.empty();
  const float below = ui.px(navigation_height) + (is_own ? author_links_height(frame) : 0.0F);
  heading(frame, walk);
  const float height = std::max(ImGui::GetContentRegionAvail().y - below, ui.px(60.0F));
  begin_child("lesson's text", {0.0F, height});
  if (begins) ImGui::SetScrollY(0.0F);
  if (walk.step == 0) prose(frame, walk.lesson->summary, ui.theme().quiet);
  space(frame, 2.0F);
  step_text(frame, walk, text_size::body);
  const bool is_unwritten = frame.lesson->is_edited && plain_text(walk.at().body) == default_step_text.body;
  if (is_unwritten && link(ui, "Write this step", "Opens its title and text", text_size::body))
    edit_current_step(frame);
  if (walk.is_last()) summary(frame, walk);
  fade_out(ui);
  end_child();
  if (is_own) author_links(frame);
  navigation(frame, walk);
}

namespace {

bool is_open(const Frame& frame, const std::string& name) {
  return frame.lesson != nullptr && frame.lesson->walk.lesson->id() == name;
}

/// The step of a lesson at which the learner goes on: the first one, once the last one was reached.
std::size_t step_to_open(const Frame& frame, const LessonCard& card) {
  const LessonProgress& progress = frame.screen.scenes.lesson_progress;
  const auto reached = progress.find(card.name);
  const bool is_on_the_way =
      reached != progress.end() && reached->second > 0 && reached->second <= card.n_steps;
  return is_on_the_way ? static_cast<std::size_t>(reached->second) - 1 : 0;
}

/// A card as a button: an outline says that it is open, or that the mouse or the keyboard is on it. Returns
/// true if the keyboard pressed it. The page below has the mouse.
bool card_button(Frame& frame, const std::string& name, const ImVec2& min, const ImVec2& size, bool hovered) {
  ImGui::SetCursorScreenPos(min);
  const bool pressed = invisible_button(name.c_str(), size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = frame.ui.px(8.0F);
  if (hovered || is_open(frame, name))
    list.AddRect(min, {min.x + size.x, min.y + size.y}, packed(frame.ui.theme().accent), rounding, 0,
                 frame.ui.px(is_open(frame, name) ? 2.0F : 1.0F));
  paint::focus_ring(frame.ui, list, rounding);
  return pressed;
}

void about_lessons(Frame& frame) {
  text_line(
      frame.ui,
      {{"A lesson takes up to ten minutes, shows in the window what it explains, and asks you to try it.",
        Font::sans, text_size::body, frame.ui.theme().quiet}});
  continue_line(frame.ui.px(16.0F), link_width(frame.ui, "Make your own"));
  command_link(
      frame, "Make your own",
      "Begins a lesson of your own. Its first step shows what you see; you write its text and add more",
      CommandId::add_lesson_step);
  continue_line(frame.ui.px(16.0F), link_width(frame.ui, "Open a file"));
  command_link(frame, "Open a file", "Opens a lesson file, NAME.md", CommandId::open_file);
}

}  // namespace

void lessons_view(Frame& frame) {
  const Panel panel(frame.ui, "lessons", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  about_lessons(frame);
  const PageMouse mouse = draw_page(frame, PageName::lessons);
  const ImVec2 below = ImGui::GetCursorPos();
  const auto* pointed = mouse.on<LessonCard>();
  if (pointed != nullptr) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const LessonCard* opened = mouse.clicked ? pointed : nullptr;
  const float scale = frame.ui.page_scale();
  for (const HitRegion& region : mouse.page->regions) {
    const auto& card = std::get<LessonCard>(region.meaning);
    const ImVec2 min{mouse.origin.x + region.box.x * scale, mouse.origin.y + region.box.y * scale};
    if (card_button(frame, card.name, min, {region.box.w * scale, region.box.h * scale},
                    &region == mouse.region))
      opened = &card;
  }
  ImGui::SetCursorPos(below);
  if (opened != nullptr) frame.send(OpenLesson{opened->name, step_to_open(frame, *opened)});
}

}  // namespace headscope
