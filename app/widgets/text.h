#pragma once

#include <initializer_list>
#include <string_view>

#include "app/ui/ui.h"

namespace headscope {

/// The quiet semibold heading of a group of controls, with the space above it.
void section(Ui& ui, const char* title);
/// Text in a typeface, size and colour on one line, without wrapping.
void text(Ui& ui, std::string_view text, Font font, float size, Color color);
/// A run of text with one style.
struct StyledText {
  std::string_view text;
  Font font = Font::sans;
  float size = text_size::body;
  Color color;
};
/// Runs of text on one baseline, `gap` design units apart, cut at the end of the available width.
void text_line(Ui& ui, std::initializer_list<StyledText> parts, float gap = 8.0F);
/// Text in the middle of a line of this height. The next item begins at the top of the line, `gap` after the
/// text. `height` and `gap` are in design units.
void caption(Ui& ui, const StyledText& part, float height, float gap = 8.0F);
/// Text wrapped at the width of the content, by default small and quiet.
void paragraph(Ui& ui, std::string_view text, Color color, float size = text_size::small);
inline void paragraph(Ui& ui, std::string_view text) {
  paragraph(ui, text, ui.theme().quiet);
}
/// The height of the paragraph at the current content width, in ImGui pixels.
float paragraph_height(const Ui& ui, std::string_view text, float size = text_size::small);
/// A label on the left and a value on the right, monospaced if it is a number. `strong` marks the result row.
void row(Ui& ui, std::string_view label, std::string_view value, bool strong = false);
/// A row() above a bar over the full width that is filled up to `fraction` (0 to 1).
void bar_row(Ui& ui, std::string_view label, float fraction, std::string_view value, Color bar);
/// A quiet horizontal line.
void divider(Ui& ui);

enum class NoticeKind { information, warning };
/// A wrapped message with a coloured edge.
void notice(Ui& ui, std::string_view text, NoticeKind kind);

/// A wrapped tooltip for the last item, after the mouse has rested on it or when it has the keyboard focus.
/// It stands beside the item's panel so that it does not cover the neighbours, or below the item if the panel
/// is wide.
void tooltip_for_item(Ui& ui, const char* text);
/// Shows a wrapped tooltip with its corner at `at` immediately, whatever was clicked.
void tooltip_at(Ui& ui, std::string_view text, ImVec2 at);
/// Shows a wrapped tooltip beside the mouse immediately, within the window if it fits.
void tooltip(Ui& ui, std::string_view text);
/// The same for a part of a picture, whose rows and columns it does not cover. It stays left of `right` if it
/// fits.
void tooltip_beside(Ui& ui, std::string_view text, ImVec2 min, ImVec2 max, float right);

/// The name of a key in a small bordered box.
void key_chip(Ui& ui, std::string_view name);

}  // namespace headscope
