#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/theme.h"

namespace headscope {

struct Bar {
  std::string label;
  double value = 0.0;
  std::string text;  ///< the value as printed
  Color color;
  std::string mark = {};  ///< behind the label and never cut: what tells it from others of the same label
};

/// A ranked list as horizontal bars: label, bar, value. Bars start at 0 and reach the end at `maximum`.
struct BarListSpec {
  std::vector<Bar> bars;
  double maximum = 1.0;
  std::optional<int> hovered;
  float label_share = 0.3F;  ///< of the width, at least, for labels; up to half of it where one is longer
  float font_size = 13.0F;
};

/// How many bars an area shows, and which is under a point.
int visible_bars(const BarListSpec& spec, Box area);
std::optional<int> bar_at(const BarListSpec& spec, Box area, Point point);
float bar_list_height(const BarListSpec& spec);

/// Draws as many bars as the area holds; the rest is counted on the last line ("and 24 more").
Figure draw_bars(const BarListSpec& spec, Box area, const Theme& theme, const MeasureText& measure);

}  // namespace headscope
