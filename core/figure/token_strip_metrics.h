#pragma once

#include <string>

/// Distances in figure units that the layout and the drawing of a token strip share.
namespace headscope::token_strip_metrics {

inline constexpr float padding = 12.0F;  ///< Left and right of a token's text.
inline constexpr float box_gap = 4.0F;
inline constexpr float least_box = 30.0F;
inline constexpr float longest_text = 180.0F;
inline constexpr float smallest_font = 11.0F;  ///< The smallest font that is used to keep tokens in one row.
inline constexpr float index_size = 11.0F;     ///< The font size of the numbers below the boxes.
inline constexpr float index_line = index_size * 1.25F;
inline constexpr float id_size = 10.0F;
inline constexpr float id_line = id_size * 1.25F;
inline constexpr float font_in_rows =
    13.0F;  ///< The font size with several rows, chosen so that more of the sentence is visible.
inline constexpr float row_gap = 18.0F;       ///< Above each of several rows. Lines run through it.
inline constexpr float sentence_gap = 36.0F;  ///< The least gap between the rows of two sentences.
inline constexpr float number_gap = 4.0F;     ///< Between a box and its numbers.
inline constexpr float arc_room = 20.0F;      ///< Kept free above the highest arc, for its number.

inline float box_height_for(float font_size) {
  return font_size * 2.0F;
}

/// The text below the number of a token. Padding has no id.
inline std::string id_text(int id) {
  return id < 0 ? "no id" : "id " + std::to_string(id);
}

}  // namespace headscope::token_strip_metrics
