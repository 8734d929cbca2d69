#pragma once

#include <cairo.h>

#include <memory>

#include "core/figure/figure.h"
#include "core/paint/font_faces.h"

namespace headscope {

struct CairoDelete {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_font_face_t* face) const { cairo_font_face_destroy(face); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <class T>
using CairoPtr = std::unique_ptr<T, CairoDelete>;

/// Paints a figure with its units as Cairo's user units. For an image surface, the caller sets the scale; PDF
/// surfaces use points. Hinting is off, so text has the same shape at every scale.
void paint(const Figure& figure, cairo_t* cairo, FontFaces& fonts);

}  // namespace headscope
