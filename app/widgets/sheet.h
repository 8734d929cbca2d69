#pragma once

#include <span>
#include <string>

#include "app/ui/ui.h"

namespace headscope {

/// A modal panel in the middle of the dimmed window. Escape, a click beside it or its cross closes it (`open`
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

struct HelpRow {
  std::string group;  ///< rows of a group are listed together under its name
  std::string keys;   ///< such as "Ctrl+E"
  std::string what;
};

/// A sheet over the window with every shortcut. Escape or a click beside it closes it (`open` becomes false).
/// `notices` are the licences of the bundled libraries and fonts; empty if there are none.
void help_sheet(Ui& ui, bool& open, std::span<const HelpRow> rows, const std::string& notices);

}  // namespace headscope
