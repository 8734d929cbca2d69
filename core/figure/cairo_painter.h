#pragma once

#include <cairo.h>

#include <memory>
#include <set>

#include "core/figure/figure.h"
#include "core/figure/font_files.h"

namespace headscope {

/// The fonts, opened for Cairo. Hinting is off, so that text has the same shape at every scale. Not to be
/// used by two threads at a time.
class CairoFonts {
 public:
  static Result<std::shared_ptr<const CairoFonts>> open(const FontFiles& files);
  ~CairoFonts();
  CairoFonts(const CairoFonts&) = delete;
  CairoFonts& operator=(const CairoFonts&) = delete;

  struct Faces;
  /// Fallbacks are opened when a letter needs them.
  Faces& faces() const { return *faces_; }
  /// The letters that were measured or painted so far and that no installed font has: boxes stand for them.
  const std::set<char32_t>& missing_letters() const;

 private:
  explicit CairoFonts(std::unique_ptr<Faces> faces);
  std::unique_ptr<Faces> faces_;
};

/// Measures as paint() paints; keeps the fonts alive.
MeasureText cairo_measure(std::shared_ptr<const CairoFonts> fonts);

/// Paints with figure units as Cairo's user units: an image surface is scaled by the caller, SVG and PDF
/// surfaces take points.
void paint(const Figure& figure, cairo_t* cairo, const CairoFonts& fonts);

}  // namespace headscope
