#include "core/figure/paintable.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace headscope {
namespace {

using namespace paint_limits;

/// Whether all values are within the limits. False if any of them is NaN.
bool in_reach(std::initializer_list<float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::abs(value) <= max_coordinate; });
}

bool in_reach(std::initializer_list<Point> points) {
  return std::all_of(points.begin(), points.end(), [](Point p) { return in_reach({p.x, p.y}); });
}

bool in_reach(const Box& box) {
  return in_reach({box.x, box.y, box.w, box.h});
}

bool has_extent(const Box& box, float least) {
  return in_reach(box) && box.w >= least && box.h >= least;
}

float fitting_rounding(const Box& box, float rounding) {
  const float fitting = std::min({rounding, 0.5F * box.w, 0.5F * box.h});
  return fitting >= min_rounding ? fitting : 0.0F;
}

bool has_pixels(const Image& image) {
  if (image.width <= 0 || image.height <= 0) return false;
  return image.pixels.size() ==
         static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
}

}  // namespace

std::optional<FilledRect> paintable(const FilledRect& rect) {
  if (!has_extent(rect.box, min_extent)) return std::nullopt;
  return FilledRect{rect.box, rect.color, fitting_rounding(rect.box, rect.rounding)};
}

std::optional<StrokedRect> paintable(const StrokedRect& rect) {
  if (!has_extent(rect.box, 0.0F) || !in_reach({rect.thickness}) || rect.thickness <= 0.0F)
    return std::nullopt;
  return StrokedRect{rect.box, rect.color, rect.thickness, fitting_rounding(rect.box, rect.rounding)};
}

const Line* paintable(const Line& line) {
  const bool good = in_reach({line.from, line.to}) && in_reach({line.thickness}) && line.thickness > 0.0F;
  return good ? &line : nullptr;
}

const Curve* paintable(const Curve& curve) {
  const bool good = in_reach({curve.from, curve.control_1, curve.control_2, curve.to}) &&
                    in_reach({curve.thickness}) && curve.thickness > 0.0F;
  return good ? &curve : nullptr;
}

const Ribbon* paintable(const Ribbon& ribbon) {
  const bool good = in_reach({ribbon.from, ribbon.to}) && in_reach({ribbon.from_height, ribbon.to_height}) &&
                    ribbon.to.x - ribbon.from.x >= min_extent && ribbon.from_height >= 0.0F &&
                    ribbon.to_height >= 0.0F;
  return good ? &ribbon : nullptr;
}

const Label* paintable(const Label& label) {
  const bool good = !label.text.empty() && in_reach({label.at}) && in_reach({label.size, label.degrees}) &&
                    label.size >= min_font_size && label.size <= max_font_size;
  return good ? &label : nullptr;
}

const Raster* paintable(const Raster& raster) {
  const bool good = raster.image && has_pixels(*raster.image) && has_extent(raster.box, min_extent);
  return good ? &raster : nullptr;
}

std::optional<Hatch> paintable(const Hatch& hatch) {
  if (!has_extent(hatch.box, min_extent) || !in_reach({hatch.spacing}) || hatch.spacing <= 0.0F) {
    return std::nullopt;
  }
  const float widest = (hatch.box.w + hatch.box.h) / max_strokes;
  return Hatch{hatch.box, hatch.color, std::max({hatch.spacing, min_spacing, widest})};
}

std::optional<ClipBegin> paintable(const ClipBegin& clip) {
  if (!has_extent(clip.box, 0.0F)) return ClipBegin{{0.0F, 0.0F, 0.0F, 0.0F}};
  return clip;
}

const ClipEnd* paintable(const ClipEnd& end) {
  return &end;
}

}  // namespace headscope
