#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/theme.h"

namespace headscope {

/// The sentence as boxes, with lines from one query to the keys that it attends to.
struct TokenStripSpec {
  std::vector<std::string> tokens;
  std::vector<int> ids;       ///< The ids in the vocabulary.
  bool shows_numbers = true;  ///< Shows the position of each token below it.
  bool shows_ids = false;     ///< Shows the ids below the positions.
  /// The first token of a second sentence, which is numbered from 0 again. 0 if there is only one.
  int first_of_second = 0;
  std::optional<int> selected;  ///< The selected query.
  std::optional<int> hovered;
  std::vector<float> weights;  ///< The query's weights, one per token. Empty for no lines.
  /// Texts above the arcs of the strongest weights, one per token. Empty for none.
  std::vector<std::string> weight_texts;
  std::vector<std::string> above;  ///< Texts above the boxes, one per token. Empty for none.
  std::vector<bool> padded;        ///< One value per token. Empty if none are padding.
  /// Unknown words, which are underlined. Empty if there are none.
  std::vector<bool> unknown;
  float threshold = 0.02F;  ///< Smaller weights get no line.
  int first_row = 0;        ///< The scroll offset of a sentence with many rows.
  float font_size = 15.0F;

  bool draws_ids() const { return shows_numbers && shows_ids && !ids.empty(); }
  /// The number of a token within its own sentence.
  int number_of(int token) const { return token < first_of_second ? token : token - first_of_second; }
};

struct TokenStripLayout {
  Box area;
  std::vector<Box> boxes;  ///< One box per token, including invisible ones.
  std::vector<int> rows;   ///< The row of each token.
  int n_rows = 0;
  int first_row = 0;  ///< Clamped to the existing rows.
  int n_visible_rows = 0;
  float row_height = 0.0F;  ///< The height of a row, including the space for its lines.
  bool two_sentences = false;
  float above = 0.0F;  ///< The height of the texts above the boxes.
  float font_size = 0.0F;
  std::vector<std::string> texts;  ///< The drawn texts; long tokens are elided.

  bool is_visible(int token) const;
  /// The minimum height of an area that shows this many rows.
  float height_of(int shown_rows) const;
};

/// Uses one row with space for arcs above it if the sentence fits, otherwise as many rows as the height can
/// show. Of two sentences, the numbers of the first stand above its boxes, so that lines between the
/// sentences cross no text.
TokenStripLayout layout_token_strip(const TokenStripSpec& spec, Box area, const MeasureText& measure);

Figure draw_token_strip(const TokenStripSpec& spec, const TokenStripLayout& layout, const Theme& theme);

/// Describes the drawn lines: "arcs for weights from 0.02: 3 of 11".
std::string line_statement(const std::vector<float>& weights, float threshold);

}  // namespace headscope
