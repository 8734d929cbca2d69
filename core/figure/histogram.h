#pragma once

#include <string>

#include "core/figure/theme.h"
#include "core/trace/summary.h"

namespace headscope {

/// One of two histograms that stand side by side.
struct HistogramSpec {
  std::string title;  ///< "raw"
  Histogram histogram;
  Statistics statistics;
};

/// "variance 121.6 → 7.6: ratio 16" of the scores before and after scaling; words where a variance is 0.
std::string variance_ratio_text(const Statistics& before, const Statistics& after);

/// Both histograms on one common axis of values, so that the narrowing is seen; under them the ratio of the
/// variances.
Figure draw_histograms(const HistogramSpec& before, const HistogramSpec& after, Box area, const Theme& theme,
                       const MeasureText& measure);

}  // namespace headscope
