#include "core/figure/curves.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/figure/text_fit.h"
#include "core/figure/tick_text.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float label_size = 11.0F;
constexpr float title_size = 12.0F;

struct Chart {
  Box plot;
  double x_high = 1.0, y_high = 1.0;

  Point at(double x, double y) const {
    const double share_x = std::clamp(x / x_high, 0.0, 1.0);
    const double share_y = std::clamp(y / y_high, 0.0, 1.0);
    return {plot.x + static_cast<float>(share_x) * plot.w,
            plot.bottom() - static_cast<float>(share_y) * plot.h};
  }
};

/// The least number of the form 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten that is at least `value`.
double nice_above(double value) {
  if (!(value > 0.0)) return 1.0;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (factor * power >= value) return factor * power;
  }
  return 10.0 * power;
}

double greatest(const CurvesSpec& spec) {
  double most = 0.0;
  for (const CurveSeries& series : spec.series) {
    for (const CurveSeries::At& point : series.points) {
      if (std::isfinite(point.y)) most = std::max(most, point.y);
    }
  }
  return most;
}

std::string y_text(const CurvesSpec& spec, double value) {
  constexpr double percent = 100.0;
  return spec.in_percent ? tick_text(percent * value) + " %" : tick_text(value);
}

/// Averages the points above each pixel. More points than pixels would only blur the line.
std::vector<Point> line_of(const CurveSeries& series, const Chart& chart) {
  std::vector<Point> line;
  int in_last = 0;
  for (const CurveSeries::At& point : series.points) {
    if (!std::isfinite(point.y)) continue;
    const Point next = chart.at(point.x, point.y);
    if (!line.empty() && next.x - line.back().x < 1.0F) {
      ++in_last;
      line.back().y += (next.y - line.back().y) / static_cast<float>(in_last);
    } else {
      line.push_back(next);
      in_last = 1;
    }
  }
  return line;
}

/// The point whose value the legend gives: the last one up to the marker, if there is one. Null if there is
/// none.
const CurveSeries::At* marked_point_of(const CurveSeries& series, const std::optional<double>& marker) {
  const auto is_after = [&](const CurveSeries::At& point) { return marker && point.x > *marker; };
  const auto marked_point = std::find_if_not(series.points.rbegin(), series.points.rend(), is_after);
  return marked_point == series.points.rend() ? nullptr : &*marked_point;
}

constexpr float legend_gap = 12.0F;
constexpr float swatch = 10.0F;
constexpr float swatch_gap = 4.0F;

/// Whether the legend with its widest numbers, so that it does not move from step to step, is too wide to
/// stand beside the title.
bool has_legend_below(const CurvesSpec& spec, Box area, const MeasureText& measure) {
  float width = 0.0F;
  for (const CurveSeries& series : spec.series)
    width +=
        legend_gap + swatch + swatch_gap + measure(series.name + " 88.88 %", Font::sans, label_size).width;
  return measure(spec.title, Font::sans_bold, title_size).width + width > area.w;
}

constexpr std::array shares{0.0, 0.5, 1.0};
constexpr float below_title = 4.0F;

double end_of_y(const CurvesSpec& spec) {
  return spec.y_high > 0.0 ? spec.y_high : nice_above(greatest(spec));
}

}  // namespace

float label_room_of(const CurvesSpec& spec, const MeasureText& measure) {
  const auto text_of = [&](double share) { return y_text(spec, share * end_of_y(spec)); };
  return std::max(widest_text(shares, Font::mono, label_size, measure, text_of) + 6.0F, spec.label_room);
}

namespace {

Chart chart_of(const CurvesSpec& spec, Box area, const MeasureText& measure) {
  Chart chart;
  chart.x_high = std::max(spec.x_high, 1.0);
  chart.y_high = end_of_y(spec);
  const float line = measure("X", Font::sans, label_size).height;
  const float left = label_room_of(spec, measure);
  const float title = has_legend_below(spec, area, measure) ? 2.0F * line + below_title : line;
  const float top = area.y + title + 12.0F;
  chart.plot = {area.x + left, top, area.w - left - 8.0F, area.bottom() - line - 6.0F - top};
  return chart;
}

/// Draws the title with the legend beside it, or below it if it does not fit.
void draw_title(const CurvesSpec& spec, Box area, const Theme& theme, const MeasureText& measure,
                Figure& figure) {
  figure.write(spec.title, {area.x, area.y}, theme.text, title_size, Font::sans_bold);
  const float line = measure("X", Font::sans, label_size).height;
  const float title_width = measure(spec.title, Font::sans_bold, title_size).width;
  const bool is_below = has_legend_below(spec, area, measure);
  float x = is_below ? area.x : area.x + title_width + legend_gap;
  const float y = is_below ? area.y + line + below_title : area.y;
  for (const CurveSeries& series : spec.series) {
    std::string said = series.name;  // With its value: "train 2.083".
    if (const auto* point = marked_point_of(series, spec.marker))
      said += " " + (spec.in_percent ? y_text(spec, point->y) : rounded_text(point->y));
    const auto end_of = [&](const std::string& text) {
      return x + swatch + swatch_gap + measure(text, Font::sans, label_size).width;
    };
    if (end_of(said) > area.right()) said = series.name;
    if (end_of(said) > area.right()) break;
    add_box(figure, {x, y + 6.0F, swatch, 3.0F}, series.color, 1.5F);
    x += swatch + swatch_gap;
    figure.write(said, {x, y + 1.0F}, theme.quiet, label_size);
    x += measure(said, Font::sans, label_size).width + legend_gap;
  }
}

/// Draws the labels below the horizontal axis.
void draw_below(const CurvesSpec& spec, const Chart& chart, const Theme& theme, const MeasureText& measure,
                Figure& figure) {
  const float below = chart.plot.bottom() + 4.0F;
  const auto write = [&](const std::string& text, float x, Font font, HorizontalAnchor horizontal) {
    figure.write(text, {x, below}, theme.quiet, label_size, font, horizontal);
  };
  if (spec.x_labels.size() < 2) {
    write("0", chart.plot.x, Font::mono, HorizontalAnchor::left);
    const std::string end = tick_text(chart.x_high);
    constexpr float apart = 4.0F;
    const float taken = measure(spec.x_axis, Font::sans, label_size).width / 2.0F +
                        measure(end, Font::mono, label_size).width + apart;
    if (taken <= chart.plot.w / 2.0F)
      write(spec.x_axis, chart.plot.x + chart.plot.w / 2.0F, Font::sans, HorizontalAnchor::center);
    return write(end, chart.plot.right(), Font::mono, HorizontalAnchor::right);
  }
  const float apart = chart.plot.w / static_cast<float>(spec.x_labels.size() - 1);
  float free_from = 0.0F;
  for (std::size_t i = 0; i < spec.x_labels.size(); ++i) {
    const float width = measure(spec.x_labels[i], Font::mono, label_size).width;
    const float middle = chart.plot.x + apart * static_cast<float>(i);
    const float left = std::min(middle - width / 2.0F, chart.plot.right() + 8.0F - width);
    if (i > 0 && left < free_from) continue;
    write(spec.x_labels[i], left, Font::mono, HorizontalAnchor::left);
    constexpr float between = 6.0F;
    free_from = left + width + between;
  }
}

}  // namespace

Box plot_of_curves(const CurvesSpec& spec, Box area, const MeasureText& measure) {
  return chart_of(spec, area, measure).plot;
}

Figure draw_curves(const CurvesSpec& spec, Box area, const Theme& theme, const MeasureText& measure) {
  Figure figure{area.right(), area.bottom(), theme.panel, {}};
  const Chart chart = chart_of(spec, area, measure);
  draw_title(spec, area, theme, measure, figure);
  for (const double share : shares) {
    const Point at = chart.at(0.0, share * chart.y_high);
    add_box(figure, {chart.plot.x, at.y, chart.plot.w, 1.0F}, theme.line);
    add_text(figure, y_text(spec, share * chart.y_high), {chart.plot.x - 6.0F, at.y}, theme.quiet, label_size,
             Font::mono, HorizontalAnchor::right);
  }
  draw_below(spec, chart, theme, measure, figure);
  if (spec.marker) {
    const Point at = chart.at(*spec.marker, 0.0);
    add_box(figure, {at.x, chart.plot.y, 1.0F, chart.plot.h}, theme.quiet);
  }
  for (const CurveSeries& series : spec.series) {
    const std::vector<Point> line = line_of(series, chart);
    for (std::size_t i = 1; i < line.size(); ++i)
      add_line(figure, line[i - 1], line[i], series.color, series.thickness);
    if (line.empty()) continue;
    // A dot marks where the legend reads the line.
    const float r = series.thickness + 0.5F;
    const CurveSeries::At* const marked_point = marked_point_of(series, spec.marker);
    const bool is_marked = marked_point != nullptr && std::isfinite(marked_point->y);
    const Point last = is_marked ? chart.at(marked_point->x, marked_point->y) : line.back();
    add_box(figure, {last.x - r, last.y - r, 2.0F * r, 2.0F * r}, series.color, r);
  }
  const auto is_empty = [](const CurveSeries& series) { return series.points.empty(); };
  if (std::ranges::all_of(spec.series, is_empty)) {
    Point at = chart.at(0.5 * chart.x_high, 0.75 * chart.y_high);
    at.x = std::min(at.x, area.right() - 0.5F * measure(spec.if_empty, Font::sans, label_size).width);
    add_text(figure, spec.if_empty, at, theme.quiet, label_size, Font::sans, HorizontalAnchor::center);
  }
  return figure;
}

}  // namespace headscope
