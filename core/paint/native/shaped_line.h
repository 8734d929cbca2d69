#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/paint/font_faces.h"

namespace headscope {

/// A glyph of a font file, and where it stands on the baseline of its line, in ems from the left end of the
/// line; y points downwards.
struct PlacedGlyph {
  unsigned index = 0;
  double x = 0.0, y = 0.0;
};

/// The smallest part of a text whose letters and glyphs belong together.
struct GlyphCluster {
  int n_bytes = 0, n_glyphs = 0;
};

/// The glyphs of a part of a text with one face and direction, from left to right.
struct GlyphRun {
  const FontFace* face = nullptr;
  std::string text;
  bool is_backward = false;  ///< Whether the text runs from right to left.
  std::vector<PlacedGlyph> glyphs;
  std::vector<GlyphCluster> clusters;  ///< In the order of the text.
};

/// A line of text as it is drawn: the parts in their order from left to right.
struct ShapedLine {
  std::vector<GlyphRun> runs;
  double width = 0.0;  ///< in ems
};

/// Shapes a text with HarfBuzz in the order of the Unicode Bidirectional Algorithm (FriBidi); the direction
/// of the line is that of is_right_to_left(). Latin, Greek and Cyrillic are neither kerned nor ligated, as
/// elsewhere in figures.
ShapedLine shaped_line(std::string_view text, Font font, FontFaces& faces);

}  // namespace headscope
