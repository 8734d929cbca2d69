#pragma once

#include <cairo-ft.h>
#include <cairo.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_count.h"
#include "core/paint/cairo_painter.h"

namespace headscope {

struct CairoDelete {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_font_face_t* face) const { cairo_font_face_destroy(face); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
  void operator()(cairo_pattern_t* pattern) const { cairo_pattern_destroy(pattern); }
};
template <class T>
using CairoPtr = std::unique_ptr<T, CairoDelete>;

/// An open font file. Cairo keeps `freetype` alive as long as it needs it.
struct OpenFace {
  CairoPtr<cairo_font_face_t> cairo;
  FT_Face freetype = nullptr;

  bool has(char32_t letter) const { return FT_Get_Char_Index(freetype, letter) != 0; }
};

class FreeTypeLibrary;

struct CairoFonts::Faces {
  std::shared_ptr<FreeTypeLibrary> library;
  FontFiles installed;
  std::map<FontFile, OpenFace> opened;
  std::array<const OpenFace*, enum_count<Font>> primary{};  ///< Indexed by Font.
  /// The fallbacks of all letters met so far. Null if no font has the letter.
  std::map<char32_t, const OpenFace*> fallbacks;
  std::set<char32_t> missing;
  CairoPtr<cairo_font_options_t> options;
  CairoPtr<cairo_t> measuring;  ///< A context for measuring only.

  Result<const OpenFace*> open(const FontFile& file);
  const OpenFace& face(Font font) const { return *primary[index_of(font)]; }
  /// The face of the typeface itself if it has the letter or no other font does. Otherwise, the face of a
  /// fallback.
  const OpenFace& face_with(char32_t letter, Font font);
};

/// A part of a text that is painted with one face.
struct TextRun {
  const OpenFace* face;
  std::string text;
};
/// Splits a text into runs. Cairo refuses text with invalid code points, so they are replaced by U+FFFD.
std::vector<TextRun> runs_of(std::string_view text, Font font, CairoFonts::Faces& faces);

/// The width of the runs, and the ascent and descent of the font.
struct LineSize {
  double width = 0.0, ascent = 0.0, descent = 0.0;
};
LineSize measure_line(const std::vector<TextRun>& runs, Font font, float size, const CairoFonts::Faces& faces,
                      cairo_t* context);

}  // namespace headscope
