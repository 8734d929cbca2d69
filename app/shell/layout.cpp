#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/map_mouse.h"
#include "app/parts/messages.h"
#include "app/parts/page_part.h"
#include "app/shell/moves.h"
#include "app/shell/view_record.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

constexpr float margin = 12.0F;
constexpr float bar_height = 48.0F;
constexpr float short_bar_height = 36.0F;
constexpr float status_height = 28.0F;
/// Narrower windows have controls and inspector in one column.
constexpr float narrow_window = 1100.0F;
/// Narrower windows have a single column, chosen in the bottom line.
constexpr float small_window = 760.0F;

bool is_narrow(const Ui& ui, ImVec2 size) {
  return size.x < ui.px(narrow_window);
}

/// Whether the page has a sentence, settings and an inspector. The pages of lessons and textbooks have none.
bool has_panels(const Frame& frame) {
  return page_record(frame.session.view).shows_session_pass;
}

bool has_inspector_beside(const Frame& frame) {
  return has_panels(frame) && view_record(frame.session.view).has_inspector;
}

/// Whether a cell was pinned in a view that leaves no room for the inspector.
bool needs_inspector(Frame& frame) {
  // The view on the screen, and the cell that was pinned before the view was opened.
  auto& [view, pinned_before] =
      frame.screen.own.of<std::pair<PageName, std::optional<Pin>>>("pin before the view");
  const std::optional<Pin>& pin = frame.session.selection.pin;
  if (std::exchange(view, frame.session.view) != frame.session.view) pinned_before = pin;
  return pin && pin != pinned_before && has_panels(frame) && !has_inspector_beside(frame) &&
         !view_record(frame.session.view).shows_computation;
}

/// Whether a step of a lesson needs the settings: it points at one, asks for a change of one, or restricts
/// them.
bool needs_settings(const LessonStep& step) {
  const bool points = std::ranges::any_of(
      step.focus, [](const LessonFocus& each) { return each.kind == LessonFocus::Kind::control; });
  return points || !step.hidden.empty() || !step.locked.empty() ||
         (step.question && mentions_setting(step.question->expect));
}

bool shows_controls(const Frame& frame) {
  return frame.screen.has_controls(frame.lesson != nullptr);
}

/// Shows a new step of a lesson in its column, and hides the settings while one reads.
void show_new_step(Frame& frame) {
  if (frame.lesson == nullptr) {
    frame.screen.lesson = {};
    if (frame.screen.column == 3) frame.screen.column = 0;
    return;
  }
  const LessonPanelState& known = frame.screen.lesson;
  if (known.lesson == frame.lesson->walk.lesson && known.step == frame.lesson->walk.step) return;
  frame.screen.lesson.is_shown = true;
  frame.screen.lesson.has_controls = needs_settings(frame.lesson->walk.at());
  frame.screen.column = 3;
  // Neither the click mode nor a typed number carries over to the next step.
  frame.screen.click_mode.reset();
  frame.screen.answer = {};
}

/// Draws what a column may show: 0 the settings, 1 the inspector, 2 the lesson.
void column_contents(Frame& frame, int which) {
  if (which == 2) return lesson_panel(frame);
  which == 1 ? inspector_view(frame) : controls_view(frame);
}

void shared_column(Frame& frame) {
  std::vector<std::string> pages{"Settings", "Inspector"};
  if (frame.lesson != nullptr) pages.emplace_back("Lesson");
  const bool shows_lesson = frame.lesson != nullptr && frame.screen.lesson.is_shown;
  int page = shows_lesson ? 2 : frame.screen.show_inspector ? 1 : 0;
  if (segmented(frame.ui, "column", pages, page, "Contents of this column")) {
    frame.screen.lesson.is_shown = page == 2;
    if (page < 2) frame.screen.show_inspector = page == 1;
  }
  column_contents(frame, page);
}

/// Draws the lesson or the page's right column, with a switch between the two above it.
void right_column(Frame& frame, bool has_inspector) {
  if (frame.lesson == nullptr) return inspector_view(frame);
  if (!has_inspector) return lesson_panel(frame);
  static const std::array<std::string, 2> names{"Lesson", "Inspector"};
  int chosen = frame.screen.lesson.is_shown ? 0 : 1;
  if (segmented(frame.ui, "right column", names, chosen, "Contents of this column"))
    frame.screen.lesson.is_shown = chosen == 0;
  chosen == 0 ? lesson_panel(frame) : inspector_view(frame);
}

void view_column(Frame& frame, ImVec2 size) {
  begin_child("center", size);
  if (std::exchange(frame.screen.presents_from_top, false)) ImGui::SetNextWindowScroll({0.0F, 0.0F});
  draw_current_view(frame);
  end_child();
}

/// Draws the headline over a width. Returns where the content below it begins.
float headline(Frame& frame, ImVec2 at, float width) {
  const float height = headline_height(frame.ui, width);
  ImGui::SetCursorPos(at);
  begin_child("headline", {width, height}, ImGuiWindowFlags_NoScrollbar);
  headline_row(frame);
  end_child();
  return at.y + height;
}

/// Draws the line of views and the headline over a width. Returns where the content below them begins.
float views_line(Frame& frame, ImVec2 at, float width) {
  if (is_short_window(frame.ui) && !has_message_line(frame)) {
    ImGui::SetCursorPos(at);
    const float menu = view_menu(frame);
    const float taken = menu > 0.0F ? menu + frame.ui.px(panel_gap) : 0.0F;
    return headline(frame, {at.x + taken, at.y}, width - taken);
  }
  const float height = frame.ui.px(view_bar_height);
  ImGui::SetCursorPos(at);
  begin_child("views", {width, height}, ImGuiWindowFlags_NoScrollbar);
  view_bar(frame);
  message_line(frame);
  end_child();
  return headline(frame, {at.x, at.y + height}, width);
}

/// The gap beside a panel. Dragging it changes the panel's width, and a double click restores the default
/// width. `towards` is 1 if the panel is to the left of the gap, and −1 if it is to the right. `scale` is the
/// number of pixels per unit of the width.
void splitter(Frame& frame, const char* id, ImVec2 at, float height, float& width, float usual, float towards,
              float scale) {
  const Ui& ui = frame.ui;
  const float gap = ui.px(panel_gap);
  ImGui::SetCursorPos(at);
  invisible_button(id, {gap, height});
  const bool drags = ImGui::IsItemActive();
  if (!drags && !ImGui::IsItemHovered()) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  const ImVec2 min = ImGui::GetItemRectMin();
  const float middle = min.x + 0.5F * gap;
  ImGui::GetWindowDrawList()->AddLine({middle, min.y}, {middle, min.y + height}, packed(ui.theme().accent),
                                      ui.px(2.0F));
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    width = usual;
  } else if (drags && !ImGui::IsItemActivated()) {
    width = std::clamp(width + towards * ImGui::GetIO().MouseDelta.x / scale, SidePanels::least,
                       SidePanels::most);
  }
}

void columns(Frame& frame, ImVec2 at, ImVec2 size) {
  const Ui& ui = frame.ui;
  SidePanels& panels = frame.screen.panels;
  const bool narrow = is_narrow(ui, size);
  const bool has_controls =
      (shows_controls(frame) && has_panels(frame)) || (narrow && frame.lesson != nullptr);
  const bool has_inspector = !narrow && panels.has_inspector && has_inspector_beside(frame);
  const bool has_lesson = !narrow && frame.lesson != nullptr;
  // If the view leaves no space for the inspector, it shares the column of the settings, or lies over the
  // view if they are folded away.
  const bool is_asked = needs_inspector(frame) && !narrow && !has_lesson;
  const bool shares_column = narrow || (is_asked && has_controls);
  const bool lies_over = is_asked && !has_controls;
  const float gap = ui.px(panel_gap);
  // The view keeps the larger part of any window.
  const float left = has_controls ? std::min(ui.px(panels.controls), size.x * 0.4F) : 0.0F;
  const bool has_right = has_inspector || has_lesson;
  // The inspector is a page, so it is enlarged as other pages are.
  const float right =
      has_right || lies_over ? std::min(ui.px(panels.inspector * ui.enlargement()), size.x * 0.3F) : 0.0F;
  const float first = has_controls ? left + gap : 0.0F;
  const float last = has_right ? right + gap : 0.0F;
  if (has_controls) {
    ImGui::SetCursorPos(at);
    {
      const Panel panel(frame.ui, "controls", {left, size.y}, PanelScroll::vertical);
      if (shares_column) {
        shared_column(frame);
      } else {
        controls_view(frame);
      }
    }
    splitter(frame, "controls' edge", {at.x + left, at.y}, size.y, panels.controls,
             SidePanels::default_controls_width, 1.0F, ui.scale());
  }
  const float top = views_line(frame, {at.x + first, at.y}, size.x - first);
  const float height = size.y - (top - at.y);
  ImGui::SetCursorPos({at.x + first, top});
  view_column(frame, {size.x - first - last, height});
  if (!has_right && !lies_over) return;
  if (has_right)
    splitter(frame, "inspector's edge", {at.x + size.x - last, top}, height, panels.inspector,
             SidePanels::default_inspector_width, -1.0F, ui.page_scale());
  ImGui::SetCursorPos({at.x + size.x - right, top});
  const bool scrolls_itself = has_lesson && (frame.screen.lesson.is_shown || !has_inspector);
  const Panel panel(frame.ui, scrolls_itself ? "lesson" : "inspector", {right, height},
                    scrolls_itself ? PanelScroll::none : PanelScroll::vertical);
  right_column(frame, has_inspector || needs_inspector(frame));
}

/// Draws one column over the whole width.
void one_column(Frame& frame, ImVec2 at, ImVec2 size) {
  if (frame.screen.column == 0) {
    const float top = views_line(frame, at, size.x);
    ImGui::SetCursorPos({at.x, top});
    return view_column(frame, {size.x, size.y - (top - at.y)});
  }
  ImGui::SetCursorPos(at);
  const bool is_inspector = frame.screen.column == 2;
  const bool is_lesson = frame.screen.column == 3 && frame.lesson != nullptr;
  const Panel panel(frame.ui,
                    is_lesson      ? "lesson"
                    : is_inspector ? "inspector"
                                   : "controls",
                    size, is_lesson ? PanelScroll::none : PanelScroll::vertical);
  column_contents(frame, is_lesson ? 2 : is_inspector ? 1 : 0);
}

/// The bottom line of a window with columns: links at both ends that fold the panels, and the status between
/// them.
void status_line(Frame& frame, ImVec2 at, ImVec2 size, int n_threads) {
  const Ui& ui = frame.ui;
  const SidePanels& panels = frame.screen.panels;
  const char* left = shows_controls(frame) ? "‹ Settings###settings" : "› Settings###settings";
  const char* right = panels.has_inspector ? "Inspector ›###inspector" : "Inspector ‹###inspector";
  const bool has_left = has_panels(frame);
  const bool has_right = !is_narrow(ui, size) && has_inspector_beside(frame);
  const float apart = ui.px(16.0F);
  const float y = at.y + ui.px(7.0F);
  const float left_width = has_left ? std::ceil(link_width(ui, left, text_size::small)) : -apart;
  const float right_width = has_right ? std::ceil(link_width(ui, right, text_size::small)) + apart : 0.0F;
  ImGui::SetCursorPos({at.x + ui.px(4.0F), y});
  if (has_left)
    command_link(frame, left, "Fold the settings away, or show them", CommandId::toggle_controls,
                 text_size::small);
  const float begin = at.x + ui.px(4.0F) + left_width + apart;
  const float end = at.x + size.x - ui.px(4.0F) - right_width;
  ImGui::SetCursorPos({begin, y});
  begin_child("status", {end - begin, size.y - ui.px(7.0F)}, ImGuiWindowFlags_NoScrollbar);
  status_bar(frame, n_threads);
  end_child();
  if (!has_right) return;
  ImGui::SetCursorPos({end + apart, y});
  command_link(frame, right, "Fold the inspector away, or show it", CommandId::toggle_inspector,
               text_size::small);
}

/// The bottom line of a small window: the choice of the column, followed by the status.
void small_line(Frame& frame, ImVec2 at, ImVec2 size, int n_threads) {
  const Ui& ui = frame.ui;
  std::vector<std::string> names{"View", "Settings", "Inspector"};
  if (frame.lesson != nullptr) names.emplace_back("Lesson");
  const float width = std::min(ui.px(84.0F * static_cast<float>(names.size())), size.x);
  ImGui::SetCursorPos(at);
  begin_child("column", {width, ui.px(28.0F)}, ImGuiWindowFlags_NoScrollbar);
  segmented(frame.ui, "column", names, frame.screen.column, "Contents of the window");
  end_child();
  const float taken = width + ui.px(12.0F);
  if (size.x - taken < ui.px(64.0F)) return;
  ImGui::SetCursorPos({at.x + taken, at.y + ui.px(7.0F)});
  begin_child("status", {size.x - taken - ui.px(8.0F), size.y - ui.px(7.0F)}, ImGuiWindowFlags_NoScrollbar);
  status_bar(frame, n_threads);
  end_child();
}

/// Draws the title and note of the presented scene, if it has any.
float presented_words(Frame& frame, float edge) {
  const Ui& ui = frame.ui;
  const std::string& title = frame.session.title;
  const std::string& note = frame.session.note;
  if (title.empty() && note.empty()) return edge;
  constexpr float aside = 4.0F;
  const float width = ImGui::GetIO().DisplaySize.x - 2.0F * (edge + ui.px(aside));
  float y = edge;
  const auto lines = [&](const std::string& said, Font font, float size, Color color) {
    for (const std::string& line : wrapped_lines(said, width / ui.scale(), font, size, ui.measure())) {
      ImGui::SetCursorPos({edge + ui.px(aside), y});
      text(frame.ui, line, font, size, color);
      y += ui.px(1.35F * size);
    }
  };
  if (!title.empty()) lines(title, Font::sans_bold, text_size::title, ui.theme().text);
  if (!note.empty()) lines(note, Font::sans, text_size::body, ui.theme().quiet);
  return y + ui.px(aside);
}

/// Draws the sentence of a presented page, the page's name if there is room beside it and, below them, its
/// headline. A textbook has no sentence.
float presented_line(Frame& frame, float edge, float room, float y) {
  Ui& ui = frame.ui;
  const PageRecord& page = page_record(frame.session.view);
  if (!page.shows_session_pass) return y;
  constexpr float height = 28.0F;
  constexpr float aside = 4.0F;
  constexpr std::size_t most_lines = 4;
  const float right = room - ui.px(aside);
  const float title = paint::text_width(ui, page.title, Font::sans, text_size::control);
  constexpr float least_beside = 200.0F;
  const float beside = right - ui.px(aside + 2.0F * margin) - title;
  const bool has_title = beside >= ui.px(least_beside);
  if (has_title) {
    ImGui::SetCursorPos({edge + right - title, y + ui.px(2.0F)});
    text(ui, page.title, Font::sans, text_size::control, ui.theme().quiet);
  }
  const std::vector<std::string> lines =
      paint::wrapped(ui, frame.session.sentence, Font::sans, text_size::title,
                     has_title ? beside : right - ui.px(aside), most_lines);
  ImGui::SetCursorPos({edge + ui.px(aside), y});
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  paint::lines(ui, *ImGui::GetWindowDrawList(), corner, lines, Font::sans, text_size::title, ui.theme().text);
  const ImVec2 size = paint::lines_size(ui, lines, Font::sans, text_size::title);
  const float further = size.y * (1.0F - 1.0F / static_cast<float>(lines.size()));
  return headline(frame, {edge, y + ui.px(height) + std::round(further)}, room);
}

/// Draws the page with its sentence from `y` to the bottom of the room.
void presented_page(Frame& frame, const Box& room, float y) {
  const float top = presented_line(frame, room.x, room.w, y);
  ImGui::SetCursorPos({room.x, top});
  view_column(frame, {room.w, std::max(room.bottom() - top, frame.ui.px(80.0F))});
}

/// Draws the text of a lesson's step beside its picture, or above it in a window that is higher than wide.
void presented_lesson(Frame& frame, const Box& room) {
  constexpr float width_share = 0.34F;
  constexpr float height_share = 0.35F;
  const float gap = frame.ui.px(16.0F);
  const bool is_beside = room.w > room.h;
  const ImVec2 text = is_beside ? ImVec2(std::round(width_share * room.w), room.h)
                                : ImVec2(room.w, std::round(height_share * room.h));
  ImGui::SetCursorPos({room.x, room.y});
  presented_step(frame, text);
  Box picture = room;
  (is_beside ? picture.x : picture.y) += (is_beside ? text.x : text.y) + gap;
  picture.w -= is_beside ? text.x + gap : 0.0F;
  picture.h -= is_beside ? 0.0F : text.y + gap;
  // The page names the words of the sentence in its first line.
  const bool has_sentence = view_record(frame.session.view).presents_whole_view;
  ImGui::SetCursorPos({picture.x, picture.y});
  if (has_sentence) return view_column(frame, {picture.w, picture.h});
  presented_page(frame, picture, picture.y);
}

/// The progress through the steps of a presentation.
struct PresentationProgress {
  bool is_first = false;
  bool is_last = false;
  std::string said;   ///< "step 2 of 6", or "Weights: ← and → show the stages before and after"
  std::string title;  ///< of the lesson that is presented; empty without one
};

PresentationProgress presentation_progress(Frame& frame) {
  if (frame.lesson != nullptr) {
    const LessonWalk& walk = frame.lesson->walk;
    const std::size_t n = walk.lesson->steps.size();
    return {walk.step == 0, walk.step + 1 == n,
            "step " + std::to_string(walk.step + 1) + " of " + std::to_string(n), walk.lesson->title};
  }
  if (!frame.trace) return {};
  if (const PageSteps& own = page_record(frame.session.view).steps; own.n != nullptr) {
    const PageInputs& in = page_inputs(frame);
    const int n = own.n(in, frame.screen.memo);
    const int at = std::clamp(own.now(in, frame.screen.memo), std::min(n, 1), n);
    return {at <= 1, at == n, n == 0 ? "" : "step " + std::to_string(at) + " of " + std::to_string(n), {}};
  }
  const StageSteps steps = stage_steps(*frame.trace, frame.session);
  const auto at = static_cast<std::size_t>(steps.at);
  const std::size_t n = steps.all.size();
  if (at >= n) return {};
  return {at == 0,
          at + 1 == n,
          std::string(info(steps.all[at].kind).title) + ": ← and → show the stages before and after",
          {}};
}

/// Joins as many entire texts as fit into `room` units.
std::string joined_hints(const Ui& ui, std::initializer_list<std::string> texts, float room) {
  std::string joined;
  for (const std::string& text : texts) {
    std::string longer = joined;
    if (!longer.empty() && !text.empty()) longer += " · ";
    longer += text;
    if (ui.measure()(longer, Font::sans, text_size::small).width <= room) joined = std::move(longer);
  }
  return joined;
}

/// Whether the speaker is told what the keys do: for a while after the mouse moved or “?” was typed, so that
/// the audience does not read it all the time.
bool speaker_is_helped(Frame& frame) {
  constexpr double seconds_to_read = 3.0;
  const ImGuiIO& io = ImGui::GetIO();
  // When the line below a presented picture was last asked for, and drawn. No frame counts as 0.
  auto& [asked_at, drawn] = frame.screen.own.of<std::pair<double, int>>("speaker help");
  const bool was_here = drawn > 0 && drawn >= ImGui::GetFrameCount() - 1;
  const bool has_asked = io.InputQueueCharacters.contains(ImWchar{'?'});
  if (!was_here || has_asked || io.MouseDelta.x != 0.0F || io.MouseDelta.y != 0.0F)
    asked_at = ImGui::GetTime();
  drawn = ImGui::GetFrameCount();
  const double left = asked_at + seconds_to_read - ImGui::GetTime();
  if (left > 0.0) frame.ui.wake_in(left);
  return left > 0.0;
}

/// Draws the line below a presented picture: links to the steps, the progress, and what the keys do, unless
/// there is a more urgent message.
void presented_controls(Frame& frame, float width) {
  Ui& ui = frame.ui;
  if (ui.hides_transients()) return;
  const std::vector<Message> all = messages(frame);
  const bool has_problem = !all.empty() && all.front().kind == NoticeKind::warning;
  const bool has_toast = !frame.screen.toasts.empty() && !frame.screen.toasts.is_over_sheet;
  if (!has_problem && !has_toast && !speaker_is_helped(frame)) return;
  const ImVec2 start = ImGui::GetCursorPos();
  const PresentationProgress place = presentation_progress(frame);
  const auto way = [&](const char* name, const char* tooltip, CommandId command, bool leads_on, float after) {
    if (link_if(ui, leads_on, name, tooltip)) frame.emit(command);
    ImGui::SameLine(0.0F, ui.px(after));
  };
  way("‹ Back", "Goes to the previous step: ←", CommandId::previous_presented, !place.is_first, 14.0F);
  way("Next ›", "Goes to the next step: →", CommandId::next_presented, !place.is_last, 14.0F);
  way("Stop (Esc)", "Goes back to the window", CommandId::present, true, 20.0F);
  if (has_toast) return frame.screen.toasts.draw_line(ui, width - (ImGui::GetCursorPosX() - start.x));
  const float room = (width - (ImGui::GetCursorPosX() - start.x)) / ui.scale();
  const std::string hint =
      has_problem ? elided_text(all.front().text, room, Font::sans, text_size::small, ui.measure())
                  : joined_hints(ui,
                                 {place.said, place.is_first || place.said.empty() ? "" : "Home: the first",
                                  "B: black", "right mouse button: pen", place.title},
                                 room);
  ImGui::SetCursorPosY(start.y);
  text_line(ui, {{hint, Font::sans, text_size::small, has_problem ? ui.theme().warning : ui.theme().quiet}});
}

/// The pen: the right mouse button draws strokes that fade.
void pen(Frame& frame) {
  const Ui& ui = frame.ui;
  if (ui.hides_transients()) return;
  constexpr double seconds_to_stay = 2.0;
  constexpr double seconds_to_fade = 1.0;
  const double now = ImGui::GetTime();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::vector<PenStroke>& strokes = frame.screen.strokes;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) strokes.emplace_back();
  if (ImGui::IsMouseDown(ImGuiMouseButton_Right) && !strokes.empty()) {
    std::vector<ImVec2>& points = strokes.back().points;
    const bool has_moved = points.empty() || points.back().x != mouse.x || points.back().y != mouse.y;
    if (has_moved) points.push_back(mouse);
    strokes.back().ended = now;
  }
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  std::erase_if(strokes,
                [&](const PenStroke& each) { return now - each.ended > seconds_to_stay + seconds_to_fade; });
  for (const PenStroke& stroke : strokes) {
    const double left = (seconds_to_stay + seconds_to_fade - (now - stroke.ended)) / seconds_to_fade;
    list.AddPolyline(stroke.points.data(), static_cast<int>(stroke.points.size()),
                     packed(ui.theme().accent, static_cast<float>(std::clamp(left, 0.0, 1.0))),
                     ImDrawFlags_None, ui.px(3.0F));
  }
  constexpr double between_frames = 1.0 / 30.0;
  if (!strokes.empty()) frame.ui.wake_in(between_frames);
}

/// The field of a sentence that is typed while a page is presented: on a card over the page, as long as it is
/// being edited. A step that asks for a sentence has a field of its own.
void presented_sentence(Frame& frame, const Box& room) {
  Ui& ui = frame.ui;
  constexpr int frames_to_focus = 3;
  int& frames_left = frame.screen.own.of<int>("presented sentence");
  SentenceFieldOptions options;
  options.take_focus = std::exchange(frame.screen.focus_sentence, false);
  if (options.take_focus) frames_left = frames_to_focus;
  if (frames_left == 0) return;
  --frames_left;
  ImGui::SetCursorPos({room.x, room.y});
  constexpr float field_height = 32.0F;
  const Panel panel(ui, "presented sentence", {room.w, ui.px(field_height + 2.0F * panel_padding(ui))});
  // ImGui draws the ground of a child into its parent, below the headline.
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 max{min.x + ImGui::GetWindowWidth(), min.y + ImGui::GetWindowHeight()};
  list.PushClipRect(min, max);
  paint::card(ui, list, min, max, ui.theme().panel, ui.theme().line, ui.px(8.0F));
  list.PopClipRect();
  std::string text = frame.sentence;
  if (sentence_field(ui, "##sentence", text, options)) frame.emit(SetSentence{text});
  if (!ImGui::IsItemActive()) return ui.wake_in(0.0);
  frames_left = frames_to_focus;
}

/// Draws the page alone over the whole window, for an audience.
void presentation(Frame& frame) {
  const Ui& ui = frame.ui;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  if (frame.screen.is_black) {
    ImGui::GetWindowDrawList()->AddRectFilled({0.0F, 0.0F}, display, IM_COL32_BLACK);
    return;
  }
  const float edge = ui.px(margin);
  const float below = ui.px(24.0F);
  const Box room{edge, edge, display.x - 2.0F * edge, display.y - edge - below};
  if (frame.lesson != nullptr) {
    presented_lesson(frame, room);
  } else {
    presented_page(frame, room, presented_words(frame, edge));
  }
  const float width = display.x - 2.0F * (edge + ui.px(4.0F));
  presented_sentence(frame, room);
  ImGui::SetCursorPos({edge + ui.px(4.0F), display.y - below + ui.px(3.0F)});
  pen(frame);
  // The arrow keys step, and must not move the keyboard focus to the links.
  begin_child("presented controls", {width, below - ui.px(3.0F)},
              ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
  presented_controls(frame, width);
  end_child();
}

}  // namespace

void window_layout(Frame& frame, int n_threads) {
  const Ui& ui = frame.ui;
  const WindowBackground ground(frame.ui);
  show_new_step(frame);
  if (frame.screen.presents) {
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ImVec4(0.0F, 0.0F, 0.0F, 0.0F));
    presentation(frame);
    return ImGui::PopStyleColor();
  }
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float edge = ui.px(margin);
  const bool is_short = is_short_window(ui);
  const float top = ui.px(is_short ? short_bar_height : bar_height);
  const float gap = ui.px(is_short ? 0.5F * panel_gap : panel_gap);
  ImGui::GetWindowDrawList()->AddRectFilled({0.0F, 0.0F}, {display.x, top}, packed(ui.theme().panel));
  ImGui::GetWindowDrawList()->AddLine({0.0F, top}, {display.x, top}, packed(ui.theme().line));
  const float above = 0.5F * (top - ui.px(28.0F));
  ImGui::SetCursorPos({edge, above});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, ImVec4(0.0F, 0.0F, 0.0F, 0.0F));
  begin_child("bar", {display.x - 2.0F * edge, top - above - ui.px(2.0F)}, ImGuiWindowFlags_NoScrollbar);
  top_bar(frame);
  end_child();

  float y = top + gap;
  if (has_panels(frame)) {
    const float height = sentence_bar_height(frame);
    ImGui::SetCursorPos({edge, y});
    const Panel panel(frame.ui, "sentence panel", {display.x - 2.0F * edge, height});
    sentence_bar(frame);
    y += height + gap;
  }
  const bool is_small = display.x < ui.px(small_window);
  const float status = ui.px(is_small ? 36.0F : status_height);
  // The cards stand below the page, so that the tabs above it stay where they are when the cards leave.
  const float cards = frame.lesson != nullptr ? 0.0F : first_minute_height(frame, {display.x, display.y - y});
  const ImVec2 size{display.x - 2.0F * edge, std::max(display.y - y - cards - status, ui.px(120.0F))};
  is_small ? one_column(frame, {edge, y}, size) : columns(frame, {edge, y}, size);
  if (cards > 0.0F) {
    ImGui::SetCursorPos({edge, y + size.y + ui.px(panel_gap)});
    first_minute_row(frame, size.x);
  }
  if (!frame.screen.answer.is_active(ImGui::GetFrameCount())) check_abandoned_answer(frame);
  const float last = display.y - status + (is_small ? ui.px(4.0F) : 0.0F);
  is_small ? small_line(frame, {edge, last}, {size.x, status}, n_threads)
           : status_line(frame, {edge, last}, {size.x, status}, n_threads);
  ImGui::PopStyleColor();
}

}  // namespace headscope
