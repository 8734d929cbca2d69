#include "app/parts/training_film.h"

#include <algorithm>
#include <string>
#include <variant>

#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

/// Places the button in the corner of the plot that the loss leaves first.
Box button_box(const Box& plot) {
  constexpr float width = 62.0F;
  constexpr float height = 26.0F;
  constexpr float apart = 6.0F;
  return {plot.right() - width, plot.y + apart, width, height};
}

/// The button “Film”, with a triangle, or with two bars while the film plays. Returns true if it was clicked.
bool play_button(Frame& frame, const Box& box, const PageAnswer& mouse) {
  const Ui& ui = frame.ui;
  const Theme& theme = ui.theme();
  const float scale = ui.scale();
  const bool is_hovered = mouse.region != nullptr && box.contains(mouse.at);
  const ImVec2 min(mouse.origin.x + box.x * scale, mouse.origin.y + box.y * scale);
  const ImVec2 max(min.x + box.w * scale, min.y + box.h * scale);
  const ImVec2 middle(min.x + ui.px(16), (min.y + max.y) / 2.0F);
  const float half = ui.px(5);
  const ImU32 ink = packed(theme.text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  paint::card(ui, list, min, max, mixed(theme.control, theme.text, is_hovered ? 0.07F : 0.0F), theme.line,
              ui.px(6));
  if (frame.screen.film.plays) {
    for (const float x : {middle.x - 0.6F * half, middle.x + 0.6F * half})
      list.AddRectFilled({x - 0.3F * half, middle.y - half}, {x + 0.3F * half, middle.y + half}, ink);
  } else {
    list.AddTriangleFilled({middle.x - 0.6F * half, middle.y - half},
                           {middle.x - 0.6F * half, middle.y + half}, {middle.x + half, middle.y}, ink);
  }
  paint::text(ui, list, min.x + ui.px(28), middle.y, "Film", Font::sans, text_size::control, theme.text);
  if (is_hovered) {
    const char* meaning =
        frame.screen.film.plays
            ? "Stop at this step"
            : "Play the training as a film, from the first weights to the present ones: on any page";
    tooltip(frame.ui, frame.with_keys(meaning, CommandId::play_film));
  }
  return is_hovered && mouse.clicked;
}

bool has_film(const Frame& frame) {
  return frame.training && frame.session.model && film_of(*frame.training).size() > 1;
}

/// Looks back to the step under the mouse while it is held after a press on a chart.
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

void film_on_curves(Frame& frame, const PageAnswer& mouse) {
  const auto is_chart = [](const HitRegion& region) {
    return std::holds_alternative<StepsArea>(region.means);
  };
  const auto loss = std::ranges::find_if(mouse.page->regions, is_chart);
  if (loss == mouse.page->regions.end() || !has_film(frame)) return;
  const Box box = button_box(loss->box);
  if (play_button(frame, box, mouse)) return frame.emit(CommandId::play_film);
  if (box.contains(mouse.at) && !frame.screen.train.scrubbed) return;
  scrub(frame, mouse);
}

}  // namespace headscope
