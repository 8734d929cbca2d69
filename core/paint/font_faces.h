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

/// A font file opened with FreeType. Metrics are unhinted, for an em of 1. Copies share the file.
class FontFace {
 public:
  static Result<FontFace> open(const FontFile& file);

  bool has(char32_t character) const;
  /// The horizontal advance of the character or, if the font lacks it, of the box that replaces it.
  float advance(char32_t character) const;
  /// The size of the inked area, about that of a bitmap of the character. 0 if nothing is inked.
  TextSize glyph_size(char32_t character) const;
  float ascent() const;
  float descent() const;  ///< below the baseline, positive
  /// The name of the family, such as “Inter”. Empty if the file has none.
  std::string family() const;
  /// The file's bytes and the index of the typeface in them.
  std::string_view bytes() const;
  int index() const;
  /// Whether it has glyphs with colours of their own.
  bool is_colored() const;
  /// For libraries that draw with FreeType. Valid while a copy of this object exists.
  FT_FaceRec_* freetype() const;
  /// A slot for the data of a shaping library, null at first. It may refer to bytes(), and lives as long as a
  /// copy of this object.
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

  /// The start of the line relative to the anchor of a label.
  double left(HorizontalAnchor anchor) const;
  double baseline(VerticalAnchor anchor) const;
};

/// The open font files, with which the window and all files measure text, so that both lay it out alike. Not
/// thread-safe, because fallbacks are opened on demand.
class FontFaces {
 public:
  static Result<std::shared_ptr<FontFaces>> open(const FontFiles& files);
  /// Opens what find_font_files() finds. If `is_serif`, the serif typeface replaces the sans one.
  static Result<std::shared_ptr<FontFaces>> open_installed(bool is_serif = false);

  const FontFace& face(Font font) const { return *primary_[index_of(font)]; }
  /// The face for a letter: that of typeface_of() if it has the letter and colour is not requested, or else a
  /// fallback. Null if no font has it.
  const FontFace* face_with(char32_t letter, Font font, bool in_color = false);
  /// Splits a text into runs. Marks and joined letters stay with the face of their letter if it has them;
  /// letters that no font has get the typeface. Replaces invalid code points, which painters refuse, with
  /// U+FFFD.
  std::vector<TextRun> runs_of(std::string_view text, Font font);
  LineSize line_size(std::string_view text, Font font, float size);
  /// The letters measured or painted so far that no installed font has. Boxes replace them.
  const std::set<char32_t>& missing_letters() const { return missing_; }

 private:
  explicit FontFaces(FontFiles files) : files_(std::move(files)) {}
  Result<const FontFace*> opened(const FontFile& file);
  /// The width of a text that needs_shaping(), in ems.
  double shaped_width(std::string_view text, Font font);

  FontFiles files_;
  std::map<FontFile, FontFace> opened_;
  std::array<const FontFace*, enum_count<Font>> primary_{};  ///< Indexed by Font.
  /// By letter and whether in colour. Null if no font has the letter.
  std::map<std::pair<char32_t, bool>, const FontFace*> fallbacks_;
  std::set<char32_t> missing_;
  std::map<std::pair<Font, std::string>, double> shaped_widths_;  ///< A cache of recently measured texts.
};

/// Measures text as it is drawn. The function keeps the fonts alive.
MeasureText measure_with(std::shared_ptr<FontFaces> fonts);

}  // namespace headscope
