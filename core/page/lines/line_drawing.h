#pragma once

#include <string>
#include <vector>

#include "core/page/lines/shown_lines.h"
#include "core/page/parts/page_text.h"

namespace headscope {

/// What pictures of lines are drawn from.
struct LineDrawing {
  const PageInputs& in;
  const PageTools& tools;
  const ShownLines& shown;
  std::vector<Color> colors;  ///< of each head that is drawn
  std::vector<std::string> queries, keys;
  std::vector<std::uint8_t> hidden;  ///< of the keys; empty: none is

  const Theme& theme() const { return theme_of(in.session.picture.theme); }
  bool is_picked(bool is_key, int token) const;
  bool is_hidden(int key) const { return !hidden.empty() && hidden[static_cast<std::size_t>(key)] != 0; }
  /// The mean over the heads of what is between a token and the picked ones; nothing where it is on their
  /// side, or none is picked.
  std::optional<float> share(bool is_key, int token) const;
  /// Between −0.5 and 0.5: where a head's lines end within a token, so that those of several heads lie beside
  /// each other.
  float offset(int head) const;
};

/// Opacity and thickness by the weight alone, however many heads there are.
Color line_color(const LineDrawing& drawing, const AttentionLine& line);
float line_thickness(const AttentionLine& line);

/// A token's box with its text, which answers the mouse.
struct TokenBox {
  Box box;
  Box room;  ///< of its text, inside the box
  std::string_view text;
  bool is_key = false;
  int token = 0;
  float font_size = 13.0F;
  HorizontalAnchor align = HorizontalAnchor::center;
};
void draw_token_box(const LineDrawing& drawing, const TokenBox& token, Page& page);
/// The share of a token's lines, "0.31"; nothing where there is none.
std::string share_text(const LineDrawing& drawing, bool is_key, int token);

/// Between two columns of tokens.
Page line_columns(const LineDrawing& drawing, const PageSize& size);
/// Over one line of tokens: across where they fit, else downwards. Arcs to earlier tokens are above (or
/// right), to later ones below (or left).
Page line_arcs(const LineDrawing& drawing, const PageSize& size);
/// What the sides of the line mean; empty between two sentences.
std::string arcs_note(const LineDrawing& drawing, const PageSize& size);

}  // namespace headscope
