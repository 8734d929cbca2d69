#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "app/views/views.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/checkpoint/model_folder.h"
#include "core/session/setting_change.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

constexpr float card_height = 34.0F;

std::string outcome_of(const LessonStep& step) {
  return plain_text(step.body);
}

/// Draws a ring, or a tick in a disc if the step is done.
void mark(const Ui& ui, ImVec2 center, bool is_done) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float radius = ui.px(7);
  if (!is_done) {
    list.AddCircle(center, radius, packed(ui.theme().quiet), 0, ui.px(1));
    return;
  }
  list.AddCircleFilled(center, radius, packed(ui.theme().accent));
  const std::array<ImVec2, 3> tick{ImVec2(center.x - 0.45F * radius, center.y),
                                   ImVec2(center.x - 0.1F * radius, center.y + 0.38F * radius),
                                   ImVec2(center.x + 0.5F * radius, center.y - 0.36F * radius)};
  list.AddPolyline(tick.data(), static_cast<int>(tick.size()), packed(ui.theme().panel), ImDrawFlags_None,
                   ui.px(1.6F));
}

/// A cross that dismisses the card. Returns true if it was clicked.
bool dismissed(Ui& ui, ImVec2 center, int number) {
  const float half = ui.px(11);
  ImGui::SetCursorScreenPos({center.x - half, center.y - half});
  ImGui::PushID(number);
  const bool clicked = invisible_button("dismiss", {2.0F * half, 2.0F * half});
  ImGui::PopID();
  const Theme& theme = ui.theme();
  const ImU32 ink = packed(ImGui::IsItemHovered() ? theme.text : theme.quiet);
  const float arm = ui.px(3.5F);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  paint::cross(list, center, arm, ink, ui.px(1.2F));
  paint::focus_ring(ui, list, ui.px(4));
  tooltip_for_item(ui, "Do not show this again");
  return clicked;
}

bool is_of_writer(const Session& session) {
  return session.model && session.model->name == default_writing_model;
}

/// Does what a card says: applies its answer's changes to its scene, or opens its model and page.
void execute(Frame& frame, const LessonStep& step) {
  if (is_of_writer(step.session) != is_of_writer(frame.session)) {
    frame.send(OpenBundled{step.session.model ? step.session.model->name : ""});
    return frame.emit(SetView{step.session.view});
  }
  if (!step.question->shown) return frame.emit(SetView{step.session.view});
  Session before = step.session;
  const Session& shown = *step.question->shown;
  // The sentence is entered as if it were typed, so that the effect of the change can be shown.
  const bool writes = std::exchange(before.sentence, shown.sentence) != shown.sentence;
  if (writes) frame.emit(SetSentence{shown.sentence});
  if (auto changes = changes_between(before, shown); !changes.empty())
    frame.emit(ChangeSettings{std::move(changes)});
  // A card that changes only settings leaves the row that the reader looks at.
  if (writes && shown.selection.token) frame.emit(SelectToken{*shown.selection.token});
}

/// Whether a step is about the session's model. One of the writer opens it.
bool is_of_model(const Session& session, const LessonStep& step) {
  return is_of_writer(step.session) || !is_of_writer(session);
}

/// Whether a step can be done with the session's sentence: what it replaces in the sentence is there.
bool is_applicable(const Session& session, const LessonStep& step) {
  if (!step.question->shown || is_of_writer(session) != is_of_writer(step.session)) return true;
  const auto has = [](const std::string& sentence, const std::string& word) {
    return (" " + sentence + " ").find(" " + word + " ") != std::string::npos;
  };
  std::istringstream words(step.session.sentence);
  for (std::string word; words >> word;)
    if (!has(step.question->shown->sentence, word) && !has(session.sentence, word)) return false;
  return true;
}

void card(Frame& frame, std::size_t number, ImVec2 min, float width) {
  Ui& ui = frame.ui;
  const Theme& theme = ui.theme();
  const LessonStep& step = frame.screen.first_minute.lesson->steps[number];
  FirstMinute::State& state = frame.screen.first_minute.steps[number];
  const bool is_done = state == FirstMinute::State::done;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 max(min.x + width, min.y + ui.px(card_height));
  paint::card(ui, list, min, max, theme.panel, theme.line, ui.px(8));
  const float dismissing = ui.px(36);
  ImGui::SetCursorScreenPos(min);
  ImGui::PushID(static_cast<int>(number));
  const bool clicked = invisible_button("do it", {width - dismissing, ui.px(card_height)});
  ImGui::PopID();
  tooltip_for_item(ui, is_done ? "Click to do it again" : "Click to do it");
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (clicked) execute(frame, step);
  paint::focus_ring(ui, list, ui.px(8));
  const float middle = std::round((min.y + max.y) / 2.0F);
  mark(ui, {min.x + ui.px(20), middle}, is_done);
  const float left = min.x + ui.px(36);
  const float right = max.x - ui.px(36);
  const std::string title = paint::fitted(ui, step.title, Font::sans_bold, text_size::body, right - left);
  const float end = left + ui.px(10) +
                    paint::text(ui, list, left, middle, title, Font::sans_bold, text_size::body,
                                is_done ? theme.quiet : theme.accent);
  const std::string outcome = outcome_of(step);
  if (end + paint::text_width(ui, outcome, Font::sans, text_size::control) <= right)
    paint::text(ui, list, end, middle, outcome, Font::sans, text_size::control, theme.quiet);
  if (dismissed(ui, {max.x - ui.px(20), middle}, static_cast<int>(number)))
    state = FirstMinute::State::dismissed;
}

/// The width of a card with its title alone.
float min_width(const Ui& ui, const LessonStep& step) {
  return paint::text_width(ui, step.title, Font::sans_bold, text_size::body) + ui.px(74);
}

/// Whether there is a row of cards, even if all are dismissed. They appear only with the models that they are
/// about.
bool has_cards(const Frame& frame) {
  const Session& session = frame.session;
  const bool is_about = session.task == task(TaskKind::pronouns).name() || is_of_writer(session);
  return is_about && !frame.screen.first_minute.steps.empty();
}

/// Removes the finished row when the page changes, so that nothing moves under the mouse.
void dismiss_when_done(Frame& frame) {
  if (frame.screen.first_minute.is_open()) return;
  // The page on which the last step was done.
  auto& page = frame.screen.own.of<std::optional<PageName>>("end of the first minute");
  if (!page) page = frame.session.view;
  if (*page == frame.session.view) return;
  frame.screen.first_minute = {};
  page.reset();
}

}  // namespace

float first_minute_height(const Frame& frame, ImVec2 room) {
  const Ui& ui = frame.ui;
  const bool has_room = room.y >= ui.px(480.0F) && room.x >= ui.px(420.0F);
  return has_room && has_cards(frame) ? ui.px(card_height + panel_gap) : 0.0F;
}

void first_minute_row(Frame& frame, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const FirstMinute& minute = frame.screen.first_minute;
  const float gap = frame.ui.px(panel_gap);
  const auto n = static_cast<float>(minute.steps.size());
  float left = width - gap * (n - 1.0F);
  for (const LessonStep& step : minute.lesson->steps) left -= min_width(frame.ui, step);
  float x = at.x;
  // A card that is not shown leaves its place empty, so that the others stay under the mouse.
  for (std::size_t i = 0; i < minute.steps.size(); ++i) {
    const LessonStep& step = minute.lesson->steps[i];
    const float card_width = std::floor(min_width(frame.ui, step) + left / n);
    const bool is_offered =
        minute.steps[i] == FirstMinute::State::done ||
        (minute.steps[i] == FirstMinute::State::open && is_applicable(frame.session, step));
    if (is_offered && is_of_model(frame.session, step)) card(frame, i, {x, at.y}, card_width);
    x += card_width + gap;
  }
  dismiss_when_done(frame);
}

}  // namespace headscope
