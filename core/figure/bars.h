#pragma once

#include <string>
#include <vector>

#include "core/figure/theme.h"
#include "core/trace/summary.h"

namespace headscope {

struct Bar {
  std::string label;
  double value = 0.0;
  std::string text;  ///< The value as it is printed.
  Color color;
  std::string mark = {};  ///< A distinguishing mark after the label, never elided.
};

/// A ranked list of horizontal bars, each with a label before and a value after it. `maximum` is the value of
/// a full bar.
struct BarListSpec {
  std::vector<Bar> bars;
  double maximum = 1.0;
  /// The minimum share of the width for labels. Longer labels take up to half of the width.
  float label_share = 0.3F;
  /// The minimum width of labels, up to the same limit, which aligns the bars of several lists.
  float label_width = 0.0F;
  float font_size = 13.0F;
};

/// Draws a share from 0 to 1 as a bar on a track. The bar is at least one unit long.
void draw_share(Figure& figure, const Box& track, float share, Color bar, const Theme& theme);

/// Draws the bars over the full width. The figure is as high as its lines, which are all equally high.
Figure draw_bars(const BarListSpec& spec, float width, const Theme& theme, const MeasureText& measure);

/// One of two histograms that are drawn side by side.
struct HistogramSpec {
  std::string title;  ///< "raw"
  Histogram histogram;
  Statistics statistics;
};

/// Draws both histograms with a common axis, which makes the narrowing visible, and below them the
/// variances: "variance 121.6 → 7.6: ratio 16", or with words instead of the ratio if a variance is 0.
Figure draw_histograms(const HistogramSpec& before, const HistogramSpec& after, Box area, const Theme& theme,
                       const MeasureText& measure);

}  // namespace headscope
