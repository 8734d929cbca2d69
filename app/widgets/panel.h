#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope {

/// The gap between panels in design units.
inline constexpr float panel_gap = 8.0F;

/// Whether the window is so short that the views have a menu in place of their tabs, and bars and panels have
/// less room around them, so that more of the picture is visible.
bool is_short_window(const Ui& ui);

/// The room above and below the contents of a panel, in design units.
float panel_padding(const Ui& ui);

enum class PanelScroll { none, vertical };

/// A rounded card with a border and padding, around everything drawn in the scope. Contents that continue
/// below the lower edge fade out there.
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

/// Fades the contents of the current child window at an edge beyond which they continue.
void fade_out(const Ui& ui);

/// A child window inside a line, for controls that would otherwise take the full width. It has no padding,
/// does not scroll, and contains everything drawn in the scope.
class InlineChild {
 public:
  /// The size is in ImGui pixels.
  InlineChild(const char* id, ImVec2 size);
  ~InlineChild();
  InlineChild(const InlineChild&) = delete;
  InlineChild& operator=(const InlineChild&) = delete;
};

/// The window's background: one ImGui window over the whole display, without a frame.
class WindowBackground {
 public:
  explicit WindowBackground(Ui& ui);
  ~WindowBackground();
  WindowBackground(const WindowBackground&) = delete;
  WindowBackground& operator=(const WindowBackground&) = delete;
};

/// Draws the heading of a foldable group of controls: a triangle, the name, and on the right a quiet summary,
/// in the accent colour if `is_changed`. A tooltip shows a summary that is cut. Returns whether the heading
/// was clicked or pressed.
bool group_header(Ui& ui, const char* name, const std::string& words, bool is_open, bool is_changed);

/// Draws a quiet line of text that can be clicked. If `enabled` is false, it is faint, and its tooltip says
/// why.
bool text_button(Ui& ui, const char* label, const char* tooltip, bool enabled);

}  // namespace headscope
