#include "app/parts/training_film.h"

#include <array>
#include <string>

#include "app/parts/page_part.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "core/page/train_page.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr float button_side = 28.0F;

/// A triangle, or two bars while it plays.
void play_button(Frame& frame) {
  Ui& ui = frame.ui;
  const Theme& theme = ui.theme();
  const bool plays = frame.screen.film.plays;
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const float side = ui.px(button_side);
  if (invisible_button("play", {side, side})) frame.emit(CommandId::play_film);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float shade = ImGui::IsItemHovered() ? 0.07F : 0.0F;
  paint::card(ui, list, min, {min.x + side, min.y + side}, mixed(theme.control, theme.text, shade),
              theme.line, ui.px(6));
  const ImVec2 middle(min.x + side / 2.0F, min.y + side / 2.0F);
  const float half = ui.px(5);
  const ImU32 ink = packed(theme.text);
  if (plays) {
    for (const float x : {middle.x - 0.8F * half, middle.x + 0.8F * half})
      list.AddRectFilled({x - 0.3F * half, middle.y - half}, {x + 0.3F * half, middle.y + half}, ink);
  } else {
    list.AddTriangleFilled({middle.x - 0.7F * half, middle.y - half},
                           {middle.x - 0.7F * half, middle.y + half}, {middle.x + half, middle.y}, ink);
  }
  paint::focus_ring(ui, list, ui.px(6));
  tooltip_for_item(ui, plays ? "Stop at this step (Shift+F)"
                             : "Play the training as a film: its weights from the first step to now, on any "
                               "page (Shift+F)");
}

bool has_film(const Frame& frame) {
  return frame.training && frame.session.model && film_of(*frame.training).size() > 1;
}

/// While the mouse that was pressed on a chart is held: the step that it is at.
void scrub(Frame& frame, const PageAnswer& mouse) {
  std::optional<HitRegion>& scrubbed = frame.screen.train.scrubbed;
  if (mouse.clicked && mouse.on<StepsArea>() != nullptr) scrubbed = *mouse.region;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) scrubbed.reset();
  if (scrubbed)
    return look_back_to(frame, std::get<StepsArea>(scrubbed->means).step_at(scrubbed->box, mouse.at));
  if (const auto* steps = mouse.on<StepsArea>()) {
    const auto step = static_cast<int>(steps->step_at(mouse.region->box, mouse.at));
    tooltip(frame.ui, "step " + grouped(step) + " · click or drag to look back");
  }
}

}  // namespace

void look_back_to(Frame& frame, double step) {
  if (!has_film(frame)) return;
  const std::vector<Snapshot> film = film_of(*frame.training);
  const std::size_t at = snapshot_near(film, step);
  const ModelValue snapshot = film[at];
  if (at + 1 == film.size()) {
    if (frame.looks_back()) frame.emit(CommandId::train_newest);
  } else if (snapshot != frame.session.model) {
    frame.emit(ShowWeights{snapshot});
  }
}

void training_curves(Frame& frame) {
  ImVec2 room = ImGui::GetContentRegionAvail();
  if (!has_film(frame)) {
    page_part(frame, "curves", curves_page, room);
    return;
  }
  play_button(frame);
  const float gap = frame.ui.px(10.0F);
  ImGui::SameLine(0.0F, gap);
  room.x -= frame.ui.px(button_side) + gap;
  scrub(frame, page_part(frame, "curves", curves_page, room));
}

}  // namespace headscope
