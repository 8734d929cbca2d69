#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enum_count.h"
#include "core/figure/figure.h"
#include "core/paint/font_files.h"
#include "core/result.h"

struct FT_FaceRec_;

namespace headscope {

/// The width and height of a glyph.
struct GlyphSize {
  float width = 0.0F, height = 0.0F;
};

/// A font file opened with FreeType. It knows its characters and their measures, unhinted, for an em of 1.
/// Copies share the file.
class FontFace {
 public:
  static Result<FontFace> open(const FontFile& file);

  bool has(char32_t character) const;
  /// The distance from the pen position before the character to the one after it. If the font lacks the
  /// character, that of the box that is drawn in its place.
  float advance(char32_t character) const;
  /// The size of the inked area, which is about that of a bitmap of the character. 0 if nothing is inked.
  GlyphSize glyph_size(char32_t character) const;
  float ascent() const;
  float descent() const;  ///< below the baseline, positive
  /// The name of the family, as in “Inter”. Empty if the file does not tell it.
  std::string family() const;
  /// The file's bytes and the index of the typeface in them.
  std::string_view bytes() const;
  int index() const;
  /// Whether it has glyphs with colours of their own.
  bool is_colored() const;
  /// For libraries that draw with FreeType. It lives as long as a copy of this object.
  FT_FaceRec_* freetype() const;
  /// What a library that shapes text keeps of the face, null at first. It may refer to bytes(), and lives as
  /// long as a copy of this object.
  std::shared_ptr<void>& shaper() const;

 private:
  struct Handle;
  explicit FontFace(std::shared_ptr<const Handle> handle);
  std::shared_ptr<const Handle> handle_;
};

/// A part of a text that is drawn with one face.
struct TextRun {
  const FontFace* face;
  std::string text;
};

/// The width of a line of text, and the ascent and descent of its font.
struct LineSize {
  double width = 0.0, ascent = 0.0, descent = 0.0;

  /// Where the line begins, relative to the point at which a label is anchored.
  double left(HorizontalAnchor anchor) const;
  double baseline(VerticalAnchor anchor) const;
};

/// The open font files. The window and all files measure text with them, so that it is laid out alike in
/// both. Not safe for use by two threads at a time, because a fallback is opened when a letter first needs
/// it.
class FontFaces {
 public:
  static Result<std::shared_ptr<FontFaces>> open(const FontFiles& files);
  /// Opens what find_font_files() finds.
  /// With `is_serif`, the serif typeface takes the place of the sans one.
  static Result<std::shared_ptr<FontFaces>> open_installed(bool is_serif = false);

  const FontFace& face(Font font) const { return *primary_[index_of(font)]; }
  /// The face that has the letter: that of typeface_of() unless the letter is to be in colour, or else a
  /// fallback. Null if no font has it.
  const FontFace* face_with(char32_t letter, Font font, bool in_color = false);
  /// Splits a text into runs. Marks and what is joined to a letter stay with its face if that has them, and
  /// letters that no font has with the typeface. Painters refuse invalid code points, so these are replaced
  /// by U+FFFD.
  std::vector<TextRun> runs_of(std::string_view text, Font font);
  LineSize line_size(std::string_view text, Font font, float size);
  /// The letters measured or painted so far that no installed font has. Boxes are drawn in their place.
  const std::set<char32_t>& missing_letters() const { return missing_; }

 private:
  explicit FontFaces(FontFiles files) : files_(std::move(files)) {}
  Result<const FontFace*> opened(const FontFile& file);
  /// The width of a text that needs_shaping(), in ems.
  double shaped_width(std::string_view text, Font font);

  FontFiles files_;
  std::map<FontFile, FontFace> opened_;
  std::array<const FontFace*, enum_count<Font>> primary_{};  ///< Indexed by Font.
  /// Of all letters met so far, and whether in colour. Null if no font has one.
  std::map<std::pair<char32_t, bool>, const FontFace*> fallbacks_;
  std::set<char32_t> missing_;
  std::map<std::pair<Font, std::string>, double> shaped_widths_;  ///< Of texts measured lately.
};

/// Measures text as it is drawn. The function keeps the fonts alive.
MeasureText measure_with(std::shared_ptr<FontFaces> fonts);

}  // namespace headscope
