#pragma once

#include <string>
#include <vector>

#include "core/page/lines/shown_lines.h"
#include "core/page/parts/page_builder.h"

namespace headscope {

/// Everything that the attention lines are drawn from.
struct LineDrawing {
  const PageInputs& in;
  const PageTools& tools;
  const ShownLines& shown;
  std::vector<Color> colors;  ///< One colour per drawn head.
  DrawnTokens query_tokens, key_tokens;
  std::vector<std::uint8_t> hidden;  ///< One value per drawn key. If empty, no key is hidden.

  const Theme& theme() const { return theme_of(in.session.picture.theme); }
  const std::vector<std::string>& texts(bool of_keys) const {
    return of_keys ? key_tokens.texts : query_tokens.texts;
  }
  /// What a click on a drawn token means.
  LineToken line_token(bool is_key, int drawn) const {
    return {is_key, (is_key ? key_tokens : query_tokens).token_of(drawn)};
  }
  // Token indices are those of drawn tokens.
  bool is_picked(bool is_key, int token) const;
  /// The selected query, if the lines of all tokens are drawn: its own lines stand out.
  std::optional<int> followed() const;
  bool is_hidden(int key) const { return !hidden.empty() && hidden[static_cast<std::size_t>(key)] != 0; }
  /// The weights between a token and the picked tokens, averaged over the heads. Empty on the side of the
  /// picked tokens, or if none are picked.
  std::optional<float> share(bool is_key, int token) const;
  /// The position within a token, from −0.5 to 0.5, at which a head's lines end. Keeps heads apart.
  float offset(int head) const;
};

/// The colour and thickness of a line. Both depend on its weight, not on the number of heads; while a query
/// is followed, the lines of the others are paler.
Color line_color(const LineDrawing& drawing, const AttentionLine& line);
float line_thickness(const AttentionLine& line);

/// A token's box with its text, which responds to the mouse.
struct TokenBox {
  Box box;
  Box room;  ///< The space for the text inside the box.
  std::string_view text;
  bool is_key = false;
  int token = 0;
  float font_size = 13.0F;
  HorizontalAnchor align = HorizontalAnchor::center;
};
void draw_token_box(const LineDrawing& drawing, const TokenBox& token, Page& page);
/// The share of a token's lines, such as "0.310". Empty if there is none.
std::string share_text(const LineDrawing& drawing, bool is_key, int token);

/// Draws the lines between two columns of tokens.
Page line_columns(const LineDrawing& drawing, const PageSize& size);
/// Draws the lines as arcs over a single line of tokens, which is horizontal if they fit and vertical
/// otherwise. Arcs to earlier tokens lie above or right of the line, arcs to later tokens below or left.
Page line_arcs(const LineDrawing& drawing, const PageSize& size);
/// Explains the two sides of the line. Empty for two sentences.
std::string arcs_note(const LineDrawing& drawing, const PageSize& size);

}  // namespace headscope
