#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/color_scale.h"
#include "core/figure/theme.h"

namespace headscope {

/// A vector as a row of small coloured cells with a label: q, k, q × k.
struct StripSpec {
  std::string label;
  std::vector<float> values;
  ColorScale scale;
  std::optional<int> hovered;
  float label_width = 72.0F;
  float font_size = 12.0F;
};

struct StripLayout {
  Box area;  ///< as high as the strip needs
  Box cells;
  float cell_width = 0.0F, cell_height = 0.0F;
  int per_line = 0;
  int n_values = 0;

  std::optional<int> index_at(Point point) const;
  Box box_of(int index) const;
};

/// Fits the strip into a width: cells get narrower down to 4, then wrap into several lines.
StripLayout layout_strip(const StripSpec& spec, Point top_left, float width);

Figure draw_strip(const StripSpec& spec, const StripLayout& layout, const Theme& theme,
                  const MeasureText& measure);

}  // namespace headscope
