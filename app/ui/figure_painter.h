#pragma once

#include "app/ui/ui.h"
#include "core/figure/figure.h"

namespace headscope {

/// Paints a figure with its top left corner at `origin` (ImGui pixels) and `zoom` pixels per figure unit.
/// Text is placed as in files: the box of a line is as high as the ascent and descent of its typeface, and
/// the line is anchored by that box.
void paint_figure(Ui& ui, ImDrawList& list, const Figure& figure, ImVec2 origin, float zoom);

/// Paints a figure at the interface scale and at ImGui's cursor, as an item of the layout with the figure's
/// size. Returns the origin.
ImVec2 figure_item(Ui& ui, const Figure& figure);

/// Converts a screen position to figure units.
inline Point to_figure(ImVec2 screen, ImVec2 origin, float zoom) {
  return {(screen.x - origin.x) / zoom, (screen.y - origin.y) / zoom};
}

}  // namespace headscope
