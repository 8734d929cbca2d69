#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/theme.h"

namespace headscope {

/// The sentence as boxes, with lines from one query to the keys it attends to.
struct TokenStripSpec {
  std::vector<std::string> tokens;
  std::vector<int> ids;     ///< of the vocabulary
  bool shows_ids = false;   ///< under the positions
  int first_of_second = 0;  ///< where a second sentence begins, whose tokens count from 0 again; 0: one only
  std::optional<int> selected;  ///< the query
  std::optional<int> hovered;
  std::vector<float> weights;  ///< of the query, one a token; empty: no lines
  std::vector<bool> padded;    ///< empty: none
  std::vector<bool> unknown;   ///< words that the model does not know, underlined; empty: none
  float threshold = 0.02F;     ///< weights below it get no line
  int first_row = 0;           ///< scroll offset, for sentences of many rows
  float font_size = 15.0F;

  bool draws_ids() const { return shows_ids && !ids.empty(); }
  /// What a token is counted as in its own sentence.
  int number_of(int token) const { return token < first_of_second ? token : token - first_of_second; }
};

struct TokenStripLayout {
  Box area;
  std::vector<Box> boxes;  ///< one a token, also of those scrolled out of sight
  std::vector<int> rows;   ///< of each token
  int n_rows = 0;
  int first_row = 0;  ///< clamped to what there is
  int n_visible_rows = 0;
  float row_height = 0.0F;  ///< what a row needs, with the room for its lines
  bool two_sentences = false;
  float font_size = 0.0F;
  std::vector<std::string> texts;  ///< as drawn: long tokens are shortened

  std::optional<int> token_at(Point point) const;
  bool is_visible(int token) const;
  /// The least height of an area that shows so many rows.
  float height_of(int shown_rows) const;
};

/// One row with room for arcs above it where the sentence fits; else as many rows as the height shows. Of two
/// sentences the numbers of the first stand above its boxes, so that lines between both cross no text.
TokenStripLayout layout_token_strip(const TokenStripSpec& spec, Box area, const MeasureText& measure);

Figure draw_token_strip(const TokenStripSpec& spec, const TokenStripLayout& layout, const Theme& theme);

/// "3 weights ≥ 0.02 shown, 8 below": what the lines leave out.
std::string line_statement(const std::vector<float>& weights, float threshold);

}  // namespace headscope
