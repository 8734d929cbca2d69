#pragma once

#include "app/ui/ui.h"

namespace headscope {

/// Between panels, in design units.
inline constexpr float panel_gap = 8.0F;

enum class PanelScroll { none, vertical };

/// A rounded card with a border, padded. Contents between construction and the end of the scope.
///   { Panel panel(ui, "controls", {240, 0}); section(ui, "Mask"); ... }
class Panel {
 public:
  /// Size in ImGui pixels; 0 takes what is left, negative leaves that much.
  Panel(Ui& ui, const char* id, ImVec2 size, PanelScroll scroll = PanelScroll::none);
  ~Panel();
  Panel(const Panel&) = delete;
  Panel& operator=(const Panel&) = delete;
};

/// The window's ground: one ImGui window over the whole display, without a frame.
class Ground {
 public:
  explicit Ground(Ui& ui);
  ~Ground();
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;
};

}  // namespace headscope
