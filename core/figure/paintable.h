#pragma once

#include <optional>
#include <variant>

#include "core/figure/figure.h"

namespace headscope {

/// Limits on the input of painters, in figure units.
namespace paint_limits {
inline constexpr float farthest = 1e6F;  ///< The greatest magnitude of a coordinate, length or size.
inline constexpr float least_extent =
    1e-3F;  ///< The least extent of a filled area. Smaller areas are invisible at any zoom.
inline constexpr float least_rounding =
    0.05F;  ///< The least rounding of a corner. Corners with less are square.
inline constexpr float least_font_size = 0.5F, largest_font_size = 1000.0F;  ///< FreeType has its own limits.
inline constexpr float least_spacing = 0.5F;  ///< The least spacing of a hatch.
inline constexpr float most_strokes =
    10'000;  ///< The most strokes in a hatch. Larger boxes get a wider spacing.
}  // namespace paint_limits

/// Returns what is to be painted of an item. Empty or null for numbers that are not finite, boxes without
/// extent and images without pixels, because ImGui divides by radii, and Cairo abandons the whole drawing if
/// a scale is 0. A rounding is limited to half a side.
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

/// Passes the background and the paintable items to `painter` in order. All painters receive their items from
/// here.
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
