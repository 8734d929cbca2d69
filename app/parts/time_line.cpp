#include "app/parts/time_line.h"

#include <algorithm>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "core/scene/film.h"

namespace headscope {
namespace {

/// The place in the film of what is shown, or the nearest one if it is no longer kept.
std::size_t shown_place(const Frame& frame) {
  const auto is_shown = [&](const Snapshot& each) { return ModelValue(each) == frame.session.model; };
  const auto shown = std::ranges::find_if(frame.film, is_shown);
  if (shown != frame.film.end()) return static_cast<std::size_t>(shown - frame.film.begin());
  return snapshot_near(frame.film, frame.session.model ? frame.session.model->steps : 0);
}

}  // namespace

bool has_time_line(const Frame& frame) {
  return frame.film.size() > 1 && frame.film.back()->is_capture();
}

void look_back_to(Frame& frame, std::size_t at) {
  if (at + 1 >= frame.film.size()) {
    if (frame.looks_back()) frame.emit(CommandId::train_newest);
  } else if (ModelValue(frame.film[at]) != frame.session.model) {
    frame.emit(ShowWeights{frame.film[at]});
  }
}

void look_back_slider(Frame& frame) {
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
                 "An earlier step: the left end is the first one, the right end is now", nullptr, rules))
    look_back_to(frame, static_cast<std::size_t>(at));
}

void film_button(Frame& frame, float width) {
  const std::string tooltip =
      frame.with_keys("Plays all steps from the first to the newest, on any page", CommandId::play_film);
  if (button(frame.ui, frame.screen.film.plays ? "Stop the film" : "Play as a film", tooltip.c_str(), "",
             ButtonLook::plain, width))
    frame.emit(CommandId::play_film);
}

void time_line(Frame& frame) {
  const Ui& ui = frame.ui;
  const std::size_t at = shown_place(frame);
  const float gap = ui.px(6.0F);
  const float film = std::max(button_width(ui, "Stop the film"), button_width(ui, "Play as a film"));
  const float newest = button_width(ui, "Back to latest");
  const float steps = button_width(ui, "‹") + button_width(ui, "›");
  const float least_slider = ui.px(160.0F);
  const bool has_room = ImGui::GetContentRegionAvail().x > steps + film + newest + 5.0F * gap + least_slider;
  if (button(frame.ui, "‹", "Goes to the step before") && at > 0) look_back_to(frame, at - 1);
  ImGui::SameLine(0.0F, gap);
  if (button(frame.ui, "›", "Goes to the next step")) look_back_to(frame, at + 1);
  ImGui::SameLine(0.0F, gap);
  if (has_room) {
    film_button(frame, film);
    ImGui::SameLine(0.0F, gap);
    ImGui::BeginDisabled(!frame.looks_back());
    const std::string tooltip =
        frame.with_keys("Shows what was pushed last, and what will be", CommandId::train_newest);
    if (button(frame.ui, "Back to latest", tooltip.c_str(), "", ButtonLook::plain, newest))
      frame.emit(CommandId::train_newest);
    ImGui::EndDisabled();
    ImGui::SameLine(0.0F, 2.0F * gap);
  }
  look_back_slider(frame);
}

}  // namespace headscope
