#pragma once

#include "app/ui/ui.h"

namespace headscope {

/// A panel in the middle of the dimmed window. Escape, a click beside it or its cross closes it (`open`
/// becomes false).
///     if (open) { Sheet sheet(ui, "export", open, 440); ... }
class Sheet {
 public:
  /// The width and height are in design units and are limited to the window. Without a height, the sheet is
  /// as high as its contents were in the last frame.
  Sheet(Ui& ui, const char* id, bool& open, float width, float height = 0.0F);
  ~Sheet();
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  /// Whether Enter was pressed.
  bool confirmed() const;

 private:
  Ui& ui_;
  bool& open_;
  ImGuiID height_id_;
  ImGuiID popup_id_;  ///< whether a list was open over the sheet
};

}  // namespace headscope
