#pragma once

#include <cairo.h>

#include <memory>
#include <set>

#include "core/figure/figure.h"
#include "core/paint/font_files.h"

namespace headscope {

/// The fonts, opened for Cairo. Hinting is off, so text has the same shape at every scale. Not safe for use
/// by two threads at a time.
class CairoFonts {
 public:
  static Result<std::shared_ptr<const CairoFonts>> open(const FontFiles& files);
  ~CairoFonts();
  CairoFonts(const CairoFonts&) = delete;
  CairoFonts& operator=(const CairoFonts&) = delete;

  struct Faces;
  /// A fallback is opened when a letter first needs it.
  Faces& faces() const { return *faces_; }
  /// The letters measured or painted so far that no installed font has. Boxes are drawn in their place.
  const std::set<char32_t>& missing_letters() const;

 private:
  explicit CairoFonts(std::unique_ptr<Faces> faces);
  std::unique_ptr<Faces> faces_;
};

/// Measures text as paint() draws it. The function keeps the fonts alive.
MeasureText cairo_measure(std::shared_ptr<const CairoFonts> fonts);

/// Paints a figure with its units as Cairo's user units. For an image surface, the caller sets the scale; SVG
/// and PDF surfaces use points.
void paint(const Figure& figure, cairo_t* cairo, const CairoFonts& fonts);

}  // namespace headscope
