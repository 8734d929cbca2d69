#include "app/parts/time_line.h"

#include <algorithm>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "core/scene/film.h"

namespace headscope {
namespace {

/// The index in the film of what is shown, or of the nearest snapshot if it has been dropped.
std::size_t shown_place(const Frame& frame) {
  const auto is_shown = [&](const Snapshot& each) { return ModelRef(each) == frame.session.model; };
  const auto shown = std::ranges::find_if(frame.film, is_shown);
  if (shown != frame.film.end()) return static_cast<std::size_t>(shown - frame.film.begin());
  return snapshot_near(frame.film, frame.session.model ? frame.session.model->steps : 0);
}

}  // namespace

bool has_time_line(const Frame& frame) {
  return frame.film.size() > 1 && frame.film.back()->is_capture();
}

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
  const std::string tooltip =
      frame.with_keys("Plays all steps from the first to the newest, on any page", CommandId::play_film);
  if (button(frame.ui, frame.screen.film.is_playing ? "Stop the film" : "Play as a film", tooltip.c_str(), "",
             ButtonStyle::plain, width))
    frame.emit(CommandId::play_film);
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
    const std::string tooltip = frame.with_keys("Returns to the newest capture, and follows new ones",
                                                CommandId::show_latest_weights);
    if (button(frame.ui, "Back to latest", tooltip.c_str(), "", ButtonStyle::plain, newest))
      frame.emit(CommandId::show_latest_weights);
    ImGui::EndDisabled();
    ImGui::SameLine(0.0F, 2.0F * gap);
  }
  snapshot_slider(frame);
}

}  // namespace headscope
