#pragma once

#include <initializer_list>
#include <string_view>

#include "app/ui/ui.h"

namespace headscope {

/// Quiet semibold heading of a group of controls, with its space above.
void section(Ui& ui, const char* title);
/// Text in a typeface, size and colour; one line, no wrapping.
void text(Ui& ui, std::string_view text, Font font, float size, Color color);
/// One of several texts that stand on one line.
struct TextPart {
  std::string_view text;
  Font font = Font::sans;
  float size = text_size::body;
  Color color;
};
/// Texts of different sizes beside each other on one baseline, `gap` design units apart; cut where the room
/// ends.
void text_line(Ui& ui, std::initializer_list<TextPart> parts, float gap = 8.0F);
/// Wrapped at the content's width.
void paragraph(Ui& ui, std::string_view text, Color color, float size = text_size::small);
/// Its height at the present content width, in ImGui pixels.
float paragraph_height(const Ui& ui, std::string_view text, float size = text_size::small);
/// Label left, value right in mono; `strong` for the row that the others lead to.
void row(Ui& ui, std::string_view label, std::string_view value, bool strong = false);
/// Label left, value right in mono; under them a bar over the width, full up to `fraction` (0 to 1).
void bar_row(Ui& ui, std::string_view label, float fraction, std::string_view value, Color bar);
/// A quiet line across.
void divider(Ui& ui);

enum class NoticeKind { information, warning };
/// A message with a coloured edge, wrapped.
void notice(Ui& ui, std::string_view text, NoticeKind kind);

/// A wrapped tooltip for the last item, after a short rest of the mouse or when the keyboard is on it: beside
/// the panel that the item is in, so that it covers none of its neighbours, or below it where that is wide.
void tooltip_for_item(Ui& ui, const char* text);
/// A wrapped tooltip with its corner here, now, whatever was clicked.
void tooltip_at(Ui& ui, std::string_view text, ImVec2 at);
/// A wrapped tooltip beside the mouse, now, within the window where it fits.
void tooltip(Ui& ui, std::string_view text);
/// The same of a part of a picture: in none of the rows and columns that the part is in, and left of `right`
/// where it fits.
void tooltip_beside(Ui& ui, std::string_view text, ImVec2 min, ImVec2 max, float right);

/// A key's name in a small bordered box.
void key_chip(Ui& ui, std::string_view name);

}  // namespace headscope
