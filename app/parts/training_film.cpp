#include "app/parts/training_film.h"

#include <string>
#include <variant>

#include "app/widgets/text.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

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

std::vector<Snapshot> shown_film(const Frame& frame) {
  if (!frame.training || !frame.session.model) return {};
  std::vector<Snapshot> film = film_of(*frame.training);
  if (film.size() < 2) film.clear();
  return film;
}

void look_back_to(Frame& frame, double step) {
  const std::vector<Snapshot> film = shown_film(frame);
  if (film.empty()) return;
  const std::size_t at = snapshot_near(film, step);
  const ModelValue snapshot = film[at];
  if (at + 1 == film.size()) {
    if (frame.looks_back()) frame.emit(CommandId::train_newest);
  } else if (snapshot != frame.session.model) {
    frame.emit(ShowWeights{snapshot});
  }
}

void scrub_on_curves(Frame& frame, const PageAnswer& mouse) {
  if (!shown_film(frame).empty()) scrub(frame, mouse);
}

}  // namespace headscope
