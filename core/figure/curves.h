#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/theme.h"

namespace headscope {

/// A line of a chart. Its points are ordered from left to right.
struct CurveSeries {
  struct At {
    double x = 0.0, y = 0.0;
  };
  std::string name;  ///< The name in the legend.
  Color color;
  std::vector<At> points;
  float thickness = 1.5F;
};

/// A line chart whose vertical axis starts at 0.
struct CurvesSpec {
  std::string title;   ///< "Loss"
  std::string x_axis;  ///< "steps"
  /// Equidistant labels below the horizontal axis, thinned out to fit. If empty, 0 and x_high with the name
  /// of the axis between them.
  std::vector<std::string> x_labels = {};
  std::vector<CurveSeries> series;
  double x_high = 1.0;      ///< The end of the horizontal axis.
  double y_high = 0.0;      ///< The end of the vertical axis. 0 for the maximum finite value.
  bool in_percent = false;  ///< Labels shares as percentages.
  /// The x position of a vertical marker line. The legend shows the last value of each series, up to the
  /// marker if there is one.
  std::optional<double> marker;
  /// The minimum width of the labels of the vertical axis, which aligns several charts.
  float label_room = 0.0F;
  std::string if_empty = {};  ///< The sentence in the plot while no series has a point.
};

Figure draw_curves(const CurvesSpec& spec, Box area, const Theme& theme, const MeasureText& measure);

/// The width of the labels of the vertical axis.
float label_room_of(const CurvesSpec& spec, const MeasureText& measure);

/// The part of `area` in which the lines are drawn, from x = 0 on the left to x_high on the right.
Box plot_of_curves(const CurvesSpec& spec, Box area, const MeasureText& measure);

}  // namespace headscope
