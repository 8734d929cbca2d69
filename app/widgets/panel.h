#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope {

/// The gap between panels in design units.
inline constexpr float panel_gap = 8.0F;

enum class PanelScroll { none, vertical };

/// A rounded card with a border and padding. It contains everything that is drawn between its construction
/// and the end of the scope. If more of it lies below the lower edge, what stands there fades out.
///     { Panel panel(ui, "controls", {240, 0}); section(ui, "Mask"); ... }
class Panel {
 public:
  /// The size is in ImGui pixels. 0 takes the remaining room, and a negative value leaves that much of it.
  Panel(Ui& ui, const char* id, ImVec2 size, PanelScroll scroll = PanelScroll::none);
  ~Panel();
  Panel(const Panel&) = delete;
  Panel& operator=(const Panel&) = delete;

 private:
  Ui& ui_;
};

/// Lets the contents of the current child window fade out at its upper and lower edge if they go on there.
void fade_out(const Ui& ui);

/// A part of a line with a size of its own, for controls that would otherwise take the whole width. It has no
/// padding and does not scroll. It contains everything that is drawn between its construction and the end of
/// the scope.
class LinePart {
 public:
  /// The size is in ImGui pixels.
  LinePart(const char* id, ImVec2 size);
  ~LinePart();
  LinePart(const LinePart&) = delete;
  LinePart& operator=(const LinePart&) = delete;
};

/// The window's background: one ImGui window over the whole display, without a frame.
class Ground {
 public:
  explicit Ground(Ui& ui);
  ~Ground();
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;
};

/// Draws the heading of a foldable group of controls: a triangle, the name, and on the right quiet words that
/// say what is set in it. Words that do not fit are cut, and the tooltip shows all of them. If `is_changed`,
/// the words have the accent colour. Returns whether the heading was clicked or pressed.
bool group_header(Ui& ui, const char* name, const std::string& words, bool is_open, bool is_changed);

/// Draws a quiet line of text that can be clicked. If `enabled` is false, it is faint, and its tooltip says
/// why.
bool text_button(Ui& ui, const char* label, const char* tooltip, bool enabled);

}  // namespace headscope
