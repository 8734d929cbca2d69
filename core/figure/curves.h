#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/theme.h"

namespace headscope {

/// One line of a chart: points from left to right.
struct CurveSeries {
  struct At {
    double x = 0.0, y = 0.0;
  };
  std::string name;  ///< in the legend
  Color color;
  std::vector<At> points;
  float thickness = 1.5F;
};

/// A chart of lines over steps. The vertical axis starts at 0.
struct CurvesSpec {
  std::string title;   ///< "Loss"
  std::string x_axis;  ///< "steps"
  /// Evenly below the horizontal axis, from its left end to its right one, as many as fit; empty: 0 and
  /// x_high, with the axis's name between them.
  std::vector<std::string> x_labels = {};
  std::vector<CurveSeries> series;
  double x_high = 1.0;           ///< where the horizontal axis ends
  double y_high = 0.0;           ///< where the vertical one ends; 0: at the greatest finite value
  bool in_percent = false;       ///< shares from 0 to 1 are labelled 0 % to 100 %
  std::optional<double> marker;  ///< an x that a line marks
};

Figure draw_curves(const CurvesSpec& spec, Box area, const Theme& theme, const MeasureText& measure);

/// Where in `area` the lines are drawn: from x = 0 on the left to x_high on the right.
Box plot_of_curves(const CurvesSpec& spec, Box area, const MeasureText& measure);

}  // namespace headscope
