#include "app/parts/step_player.h"

#include <algorithm>
#include <utility>

#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/slider.h"
#include "core/scene/film.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr float between_buttons = 4.0F;

/// The width of the button that plays and pauses, so that the one after it stays in its place.
float play_width(const Ui& ui) {
  return std::max(button_width(ui, "Play"), button_width(ui, "Pause"));
}

double seconds_of_step(const StepPlay& playing, const Steps& steps) {
  return playing.is_slow ? steps.slow_seconds : steps.seconds;
}

bool is_time_for_next(Frame& frame, StepPlay& playing, const Steps& steps) {
  const double now = ImGui::GetTime();
  const double seconds = seconds_of_step(playing, steps);
  const bool was_away = now > playing.next_at + seconds;  // the page was not drawn for a while
  // An export saves the step that is shown, so the page must not go on behind its sheet.
  playing.on =
      playing.on && (steps.step < steps.n || playing.loops) && !was_away && !frame.screen.export_form.open;
  if (!playing.on) return false;
  const bool is_time = now >= playing.next_at;
  if (is_time) playing.next_at = now + seconds;
  frame.ui.wake_in(std::max(playing.next_at - now, 0.0));
  return is_time;
}

/// The button that changes between the two speeds.
void speed_button(Frame& frame, StepPlay& playing) {
  const float widest = std::max(button_width(frame.ui, "Faster"), button_width(frame.ui, "Slower"));
  if (button(frame.ui, playing.is_slow ? "Faster" : "Slower", "How long each step stays", "",
             ButtonStyle::plain, widest))
    playing.is_slow = !playing.is_slow;
}

constexpr double default_seconds = 2.5;
constexpr double slow_seconds = 6.0;

struct Watching {
  StepPlay play;
  int step = 0;        ///< The step that was drawn last.
  double since = 0.0;  ///< When it became the current one, in ImGui's seconds.
};

}  // namespace

void advance_step_animation(Frame& frame, int step) {
  auto& watching = frame.screen.own.of<Watching>();
  constexpr double usual = 1.2;
  constexpr double slow = 3.0;
  const double now = ImGui::GetTime();
  const double seconds = watching.play.is_slow ? slow : usual;
  if (watching.step != step) {
    const bool follows = watching.step > 0 && step == watching.step + 1;
    watching.since = follows ? now : now - seconds;
    watching.step = step;
  }
  frame.screen.step_progress = static_cast<float>(std::clamp((now - watching.since) / seconds, 0.0, 1.0));
  if (frame.screen.step_progress < 1.0F) frame.ui.wake_in(0.0);
}

namespace {

Steps steps_from(int step) {
  return {step, last_watch_step, "Plays the row step by step", default_seconds, slow_seconds};
}

/// Begins to play the steps.
void start_playing(StepPlay& playing, const Steps& steps) {
  playing.on = true;
  playing.next_at = ImGui::GetTime() + seconds_of_step(playing, steps);
}

}  // namespace

void slider_in_line(Frame& frame, SettingKey key, const char* label, int value, int most, float width,
                    const std::function<int(int)>& nearest_allowed) {
  const InlineChild part(label, {width, frame.ui.px(slider_line_height)});
  if (!slider_int(frame.ui, label, value, {1, std::max(most, 2)}, key.record->sentence)) return;
  value = std::min(value, most);
  frame.emit(set_to(key, nearest_allowed ? nearest_allowed(value) : value));
}

float step_player_width(const Ui& ui) {
  return button_width(ui, "‹") + play_width(ui) + button_width(ui, "›") + 2.0F * ui.px(between_buttons);
}

std::optional<int> step_player(Frame& frame, StepPlay& playing, const Steps& steps) {
  std::optional<int> next;
  if (is_time_for_next(frame, playing, steps)) next = steps.step < steps.n ? steps.step + 1 : 1;
  const auto go_to = [&](int step) {
    playing.on = false;
    next = std::clamp(step, 1, std::max(steps.n, 1));
  };
  const float gap = frame.ui.px(between_buttons);
  if (button(frame.ui, "‹", "Goes to the previous step")) go_to(steps.step - 1);
  ImGui::SameLine(0.0F, gap);
  const bool is_playing = button(frame.ui, playing.on ? "Pause" : "Play", steps.tooltip, "",
                                 ButtonStyle::plain, play_width(frame.ui));
  ImGui::SameLine(0.0F, gap);
  if (button(frame.ui, "›", "Goes to the next step")) go_to(steps.step + 1);
  if (steps.slow_seconds > 0.0) {
    ImGui::SameLine(0.0F, 2.0F * gap);
    speed_button(frame, playing);
  }
  if (!is_playing) return next;
  if (std::exchange(playing.on, false)) return next;
  start_playing(playing, steps);
  frame.ui.wake_in(seconds_of_step(playing, steps));
  return steps.plays_all || steps.step >= steps.n ? std::optional(1) : next;
}

void start_watching(Frame& frame) {
  frame.emit(set_to("watch.step", 1));
  start_playing(frame.screen.own.of<Watching>().play, steps_from(1));
  frame.emit(SetView{PageName::watch});
}

void watch_controls(Frame& frame) {
  StepPlay& playing = frame.screen.own.of<Watching>().play;
  const int step = std::clamp(frame.session.watch_step, 1, last_watch_step);
  if (const auto next = step_player(frame, playing, steps_from(step)))
    frame.emit(set_to("watch.step", *next));
  ImGui::SameLine(0.0F, frame.ui.px(8.0F));
  if (button(frame.ui, playing.loops ? "Once" : "Loop", "Whether to repeat after the last step", "",
             ButtonStyle::plain, std::max(button_width(frame.ui, "Once"), button_width(frame.ui, "Loop"))))
    playing.loops = !playing.loops;
  ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  slider_in_line(frame, "watch.step", "step", step, last_watch_step, frame.ui.px(220.0F));
}

namespace {

/// The index in the film of what is shown, or of the nearest snapshot if it has been dropped.
std::size_t shown_place(const Frame& frame) {
  const auto is_shown = [&](const Snapshot& each) { return ModelRef(each) == frame.session.model; };
  const auto shown = std::ranges::find_if(frame.film, is_shown);
  if (shown != frame.film.end()) return static_cast<std::size_t>(shown - frame.film.begin());
  return snapshot_near(frame.film, frame.session.model ? frame.session.model->steps : 0);
}

}  // namespace

void show_snapshot(Frame& frame, std::size_t at) {
  if (at + 1 >= frame.film.size()) {
    if (frame.shows_snapshot()) frame.emit(CommandId::show_latest_weights);
  } else if (ModelRef(frame.film[at]) != frame.session.model) {
    frame.emit(ShowWeights{frame.film[at]});
  }
}

void snapshot_slider(Frame& frame) {
  const bool has_film = frame.film.size() > 1;
  const int last = has_film ? static_cast<int>(frame.film.size()) - 1 : 1;
  const int shown = has_film ? static_cast<int>(shown_place(frame)) : 0;
  SliderRules rules;
  rules.name = [&](int place) -> std::string {
    if (!has_film) return "0";
    const bool is_shown = place == shown && frame.session.model;
    return snapshot_name(is_shown ? *frame.session.model : *frame.film[static_cast<std::size_t>(place)]);
  };
  int at = shown;
  if (slider_int(frame.ui, has_time_line(frame) ? "pushed" : "step", at, {0, last},
                 "Goes through the steps: the left end is the first, the right end is now", nullptr, rules))
    show_snapshot(frame, static_cast<std::size_t>(at));
}

void film_button(Frame& frame, float width) {
  command_button(frame, frame.screen.film.is_playing ? "Stop the film" : "Play as a film",
                 "Plays all steps from the first to the newest, on any page", CommandId::play_film,
                 ButtonStyle::plain, width);
}

void time_line(Frame& frame) {
  const Ui& ui = frame.ui;
  const std::size_t at = shown_place(frame);
  const float gap = ui.px(6.0F);
  const float film = std::max(button_width(ui, "Stop the film"), button_width(ui, "Play as a film"));
  const float newest = button_width(ui, "Back to latest");
  const float steps = button_width(ui, "‹") + button_width(ui, "›");
  const float min_slider_width = ui.px(160.0F);
  const bool has_room =
      ImGui::GetContentRegionAvail().x > steps + film + newest + 5.0F * gap + min_slider_width;
  if (button(frame.ui, "‹", "Goes to the previous step") && at > 0) show_snapshot(frame, at - 1);
  ImGui::SameLine(0.0F, gap);
  if (button(frame.ui, "›", "Goes to the next step")) show_snapshot(frame, at + 1);
  ImGui::SameLine(0.0F, gap);
  if (has_room) {
    film_button(frame, film);
    ImGui::SameLine(0.0F, gap);
    ImGui::BeginDisabled(!frame.shows_snapshot());
    command_button(frame, "Back to latest", "Returns to the newest capture, and follows new ones",
                   CommandId::show_latest_weights, ButtonStyle::plain, newest);
    ImGui::EndDisabled();
    ImGui::SameLine(0.0F, 2.0F * gap);
  }
  snapshot_slider(frame);
}

}  // namespace headscope
