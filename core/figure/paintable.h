#pragma once

#include <optional>
#include <variant>

#include "core/figure/figure.h"

namespace headscope {

/// The limits of a painter's input, in figure units.
namespace paint_limits {
inline constexpr float farthest = 1e6F;         ///< of any coordinate, length or size
inline constexpr float least_extent = 1e-3F;    ///< of what is filled: less cannot be seen at any zoom
inline constexpr float least_rounding = 0.05F;  ///< of a corner; below it is square
inline constexpr float least_font_size = 0.5F, largest_font_size = 1000.0F;  ///< FreeType has its own limits
inline constexpr float least_spacing = 0.5F;                                 ///< of a hatch
inline constexpr float most_strokes =
    10'000;  ///< of a hatch: a box too large for them is hatched more widely
}  // namespace paint_limits

/// The gate between figures and painters: what is painted of an item, or nothing. A number that is not
/// finite, a box without extent or an image without pixels is not painted, as ImGui divides by a radius and
/// Cairo gives up the whole drawing over a scale of 0. A rounding is never larger than half a side.
std::optional<FilledRect> paintable(const FilledRect& rect);
std::optional<StrokedRect> paintable(const StrokedRect& rect);
const Line* paintable(const Line& line);
const Curve* paintable(const Curve& curve);
const Label* paintable(const Label& label);
const Raster* paintable(const Raster& raster);
std::optional<Hatch> paintable(const Hatch& hatch);
/// Always one, as a ClipEnd follows: of a box that is none, an empty one.
std::optional<ClipBegin> paintable(const ClipBegin& clip);
const ClipEnd* paintable(const ClipEnd& end);

/// Hands `painter` the background and what is paintable of the items, in order. Every painter gets its items
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
