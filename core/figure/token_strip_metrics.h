#pragma once

#include <string>

/// Distances that the layout and the drawing of a token strip share, in figure units.
namespace headscope::token_strip_metrics {

inline constexpr float padding = 12.0F;  ///< left and right of a token's text
inline constexpr float box_gap = 4.0F;
inline constexpr float least_box = 30.0F;
inline constexpr float longest_text = 180.0F;
inline constexpr float smallest_font = 11.0F;  ///< tokens get no smaller to stay in one row
inline constexpr float index_size = 11.0F;     ///< font of the numbers under the boxes
inline constexpr float index_line = index_size * 1.25F;
inline constexpr float id_size = 10.0F;
inline constexpr float id_line = id_size * 1.25F;
inline constexpr float font_in_rows = 13.0F;  ///< of several rows: more of the sentence is seen
inline constexpr float row_gap = 18.0F;       ///< above each of several rows; lines run through it
inline constexpr float sentence_gap = 36.0F;  ///< between rows of two sentences, at least
inline constexpr float number_gap = 4.0F;     ///< between a box and its numbers
inline constexpr float arc_room = 10.0F;      ///< kept free above the highest arc

inline float box_height_for(float font_size) {
  return font_size * 2.0F;
}

/// The text under a token's index. Padding is not a word.
inline std::string id_text(int id) {
  return id < 0 ? "no id" : "id " + std::to_string(id);
}

}  // namespace headscope::token_strip_metrics
