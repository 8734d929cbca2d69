#pragma once

#include <string>

#include "core/figure/theme.h"
#include "core/trace/summary.h"

namespace headscope {

/// One of two histograms that are drawn side by side.
struct HistogramSpec {
  std::string title;  ///< "raw"
  Histogram histogram;
  Statistics statistics;
};

/// Compares the variances of the scores before and after scaling: "variance 121.6 → 7.6: ratio 16", or with
/// words instead of the ratio if a variance is 0.
std::string variance_ratio_text(const Statistics& before, const Statistics& after);

/// Draws both histograms with a common axis, which makes the narrowing visible, and the ratio of the
/// variances below them.
Figure draw_histograms(const HistogramSpec& before, const HistogramSpec& after, Box area, const Theme& theme,
                       const MeasureText& measure);

}  // namespace headscope
