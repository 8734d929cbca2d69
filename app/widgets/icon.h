#pragma once

#include "app/ui/ui.h"

namespace headscope {

enum class Icon { undo, redo, find, more };

/// Paints an icon of text height around a point.
void paint_icon(const Ui& ui, ImDrawList& list, Icon icon, ImVec2 center, Color color);

/// A quiet square button with an icon. If it is not enabled, it is pale and does nothing. Returns true if
/// clicked.
bool icon_button(Ui& ui, Icon icon, const char* id, const char* tooltip, bool enabled = true);

/// The width and height of an icon button in design units.
inline constexpr float icon_button_size = 28.0F;

}  // namespace headscope
