#pragma once

#include <optional>
#include <variant>

#include "core/figure/figure.h"

namespace headscope {

/// Limits on the input of painters, in figure units.
namespace paint_limits {
inline constexpr float max_coordinate = 1e6F;  ///< The maximum magnitude of a coordinate, length or size.
/// The minimum extent of a filled area. Smaller areas are invisible at any zoom.
inline constexpr float min_extent = 1e-3F;
/// The minimum rounding of a corner. Corners with less are square.
inline constexpr float min_rounding = 0.05F;
inline constexpr float min_font_size = 0.5F, max_font_size = 1000.0F;  ///< FreeType has its own limits.
inline constexpr float min_spacing = 0.5F;                             ///< The minimum spacing of a hatch.
/// The maximum number of strokes in a hatch. Larger boxes get a wider spacing.
inline constexpr float max_strokes = 10'000;
}  // namespace paint_limits

/// Sanitises an item for painters. Empty or null for numbers that are not finite, boxes without extent and
/// images without pixels: ImGui divides by radii, and Cairo abandons the drawing if a scale is 0. Roundings
/// are limited to half a side.
std::optional<FilledRect> paintable(const FilledRect& rect);
std::optional<StrokedRect> paintable(const StrokedRect& rect);
const Line* paintable(const Line& line);
const Curve* paintable(const Curve& curve);
const Ribbon* paintable(const Ribbon& ribbon);
const Label* paintable(const Label& label);
const Raster* paintable(const Raster& raster);
std::optional<Hatch> paintable(const Hatch& hatch);
/// Never empty, because a ClipEnd follows. An invalid box becomes an empty one.
std::optional<ClipBegin> paintable(const ClipBegin& clip);
const ClipEnd* paintable(const ClipEnd& end);

/// Passes the background and the paintable items to `painter` in order. All painters use this.
template <class Painter>
void paint_items(const Figure& figure, Painter& painter) {
  const FilledRect background{{0.0F, 0.0F, figure.width, figure.height}, figure.background};
  if (const auto safe = paintable(background)) painter(*safe);
  for (const Item& item : figure.items) {
    std::visit(
        [&painter](const auto& kind) {
          if (const auto safe = paintable(kind)) painter(*safe);
        },
        item);
  }
}

}  // namespace headscope
