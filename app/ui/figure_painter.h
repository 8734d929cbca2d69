#pragma once

#include "app/ui/ui.h"
#include "core/figure/figure.h"

namespace headscope {

/// Paints a figure with its top left corner at `origin` (ImGui pixels), `zoom` pixels a figure unit. Text
/// positions agree with the file painters: a line of text is its typeface's ascent + descent high, and
/// anchored by that box.
void paint_figure(Ui& ui, ImDrawList& list, const Figure& figure, ImVec2 origin, float zoom);

/// The same at the interface scale, at ImGui's cursor, taking up the figure's size as an item of the layout.
/// Returns the origin.
ImVec2 figure_item(Ui& ui, const Figure& figure);

/// Screen position to figure units.
Point to_figure(ImVec2 screen, ImVec2 origin, float zoom);

}  // namespace headscope
