#include "app/parts/training_parts.h"

#include <algorithm>

#include "app/parts/page_part.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/page/gradient_page.h"
#include "core/page/targets_page.h"

namespace headscope {
namespace {

/// Parameters by their paths, heads apart.
void choose_parameter(Frame& frame, const std::shared_ptr<const ParameterLayout>& layout) {
  TrainScreen& screen = frame.screen.train;
  if (screen.layout != layout) {
    screen.layout = layout;
    screen.paths.clear();
    for (const NamedParameter& parameter : layout->named) screen.paths.push_back(parameter.path);
  }
  if (std::ranges::find(screen.paths, screen.parameter) == screen.paths.end()) {
    const std::string query = path(selected_stage(frame, StageKind::query));
    screen.parameter = query.substr(0, query.rfind('.')) + ".W_Q";
  }
  auto selected = static_cast<int>(std::ranges::find(screen.paths, screen.parameter) - screen.paths.begin());
  if (combo(frame.ui, "##parameter", screen.paths, selected, "Weights to show")) {
    screen.parameter = screen.paths[static_cast<std::size_t>(selected)];
  }
}

}  // namespace

void targets_part(Frame& frame) {
  const PageAnswer mouse = page_part(frame, "targets", targets_page, ImGui::GetContentRegionAvail());
  const auto cell = mouse.table_cell();
  if (!cell) return;
  const PageInputs& in = page_inputs(frame);
  tooltip(frame.ui, said_of_target(in, shown_targets(in), *cell));
}

void gradient_part(Frame& frame) {
  if (frame.training && frame.training->gradients) choose_parameter(frame, frame.training->layout);
  const PageAnswer mouse = page_part(frame, "gradient", gradient_page, ImGui::GetContentRegionAvail());
  const auto cell = mouse.table_cell();
  if (cell) tooltip(frame.ui, said_of_gradient(page_inputs(frame), *cell));
}

}  // namespace headscope
