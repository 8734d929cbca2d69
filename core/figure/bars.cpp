#include "core/figure/bars.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/figure/text_fit.h"
#include "core/figure/tick_text.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float max_label_share = 0.5F;
constexpr float label_gap = 8.0F;  ///< Between a label and its bar.

/// The left and right ends of full bars: right of the labels, and left of the widest value.
std::pair<float, float> ends_of_bars(const BarListSpec& spec, float width, const MeasureText& measure) {
  constexpr float distance = 10.0F;
  const float widest = widest_text(spec.bars, Font::mono, spec.font_size, measure, &Bar::text);
  const auto label_of = [](const Bar& bar) { return bar.label + bar.mark; };
  const float longest =
      std::max(spec.label_width, widest_text(spec.bars, Font::sans, spec.font_size, measure, label_of));
  const float least = width * spec.label_share;
  const float most = std::max(width * max_label_share, least);
  const float left = std::floor(std::clamp(std::ceil(longest) + label_gap, least, most));
  return {left, std::max(left, std::floor(width - widest - distance))};
}

}  // namespace

void draw_share(Figure& figure, const Box& track, float share, Color bar, const Theme& theme) {
  constexpr float rounding = 3.0F;
  add_box(figure, track, theme.control, rounding);
  add_box(figure, {track.x, track.y, std::max(share * track.w, 1.0F), track.h}, bar, rounding);
}

Figure draw_bars(const BarListSpec& spec, float width, const Theme& theme, const MeasureText& measure) {
  const float height = std::ceil(spec.font_size * 1.55F);
  Figure figure{width, height * static_cast<float>(spec.bars.size()), theme.panel, {}};
  const float thickness = std::floor(0.5F * spec.font_size + 3.0F);
  const auto [left, right] = ends_of_bars(spec, width, measure);
  const float room = right - left;
  float middle = 0.5F * height;
  for (const Bar& bar : spec.bars) {
    const float mark_width = measure(bar.mark, Font::sans, spec.font_size).width;
    const std::string label =
        elided_text(bar.label, left - label_gap - mark_width, Font::sans, spec.font_size, measure) + bar.mark;
    add_text(figure, label, {0.0F, middle}, theme.text, spec.font_size);
    const float bar_top = std::floor(middle - 0.5F * thickness);
    add_box(figure, {left, bar_top, room, thickness}, theme.control, 2.0F);
    const double share = spec.maximum > 0.0 ? std::clamp(bar.value / spec.maximum, 0.0, 1.0) : 0.0;
    if (share > 0.0) {
      const float length = std::max(1.0F, static_cast<float>(share) * room);
      add_box(figure, {left, bar_top, length, thickness}, bar.color, 2.0F);
    }
    add_text(figure, bar.text, {width, middle}, theme.text, spec.font_size, Font::mono,
             HorizontalAnchor::right);
    middle += height;
  }
  return figure;
}

namespace {

constexpr float histogram_size = 12.0F;
constexpr float axis_size = 11.0F;

/// Draws one panel over values from −reach to reach.
void draw_panel(const HistogramSpec& spec, double reach, Box area, const Theme& theme,
                const MeasureText& measure, Figure& figure) {
  const float line = measure("X", Font::sans, histogram_size).height;
  figure.write(spec.title, {area.x, area.y}, theme.text, histogram_size, Font::sans_bold);
  const float title_width = measure(spec.title, Font::sans_bold, histogram_size).width + 8.0F;
  const std::string variance = elided_text("variance " + number_text(spec.statistics.variance, 3),
                                           area.w - title_width, Font::sans, axis_size, measure);
  figure.write(variance, {area.x + title_width, area.y + 1.0F}, theme.quiet, axis_size, Font::sans);
  const float top = area.y + line + 6.0F;
  const float base = std::floor(area.bottom() - line - 2.0F);
  add_box(figure, {area.x, base, area.w, 1.0F}, theme.line);
  const int highest = spec.histogram.counts.empty()
                          ? 0
                          : *std::max_element(spec.histogram.counts.begin(), spec.histogram.counts.end());
  const auto x_of = [&](double value) {
    return area.x + static_cast<float>((value + reach) / (2.0 * reach)) * area.w;
  };
  if (highest > 0 && reach > 0.0) {
    const auto n_bins = static_cast<double>(spec.histogram.counts.size());
    const double width = (spec.histogram.high - spec.histogram.low) / n_bins;
    for (std::size_t i = 0; i < spec.histogram.counts.size(); ++i) {
      const int count = spec.histogram.counts[i];
      if (count == 0) continue;
      const float left = x_of(spec.histogram.low + static_cast<double>(i) * width);
      const float right = x_of(spec.histogram.low + static_cast<double>(i + 1) * width);
      const float height =
          std::max(1.0F, static_cast<float>(count) / static_cast<float>(highest) * (base - top));
      add_box(figure, {left, base - height, std::max(1.0F, right - left - 0.5F), height}, theme.data);
    }
  }
  const float ticks = base + 4.0F;
  figure.write(tick_text(-reach), {area.x, ticks}, theme.quiet, axis_size, Font::mono);
  figure.write("0", {area.x + 0.5F * area.w, ticks}, theme.quiet, axis_size, Font::mono,
               HorizontalAnchor::center);
  figure.write(tick_text(reach), {area.right(), ticks}, theme.quiet, axis_size, Font::mono,
               HorizontalAnchor::right);
}

double reach_of(const Statistics& statistics) {
  return std::max(std::abs(statistics.minimum), std::abs(statistics.maximum));
}

std::string variance_ratio_text(const Statistics& before, const Statistics& after) {
  if (before.count == 0 || after.count == 0) return "no variance, because no score is finite";
  const std::string both = "variance " + number_text(before.variance) + " → " + number_text(after.variance);
  if (after.variance <= 0.0) return both + ": all scores are equal";
  return both + ": ratio " + number_text(before.variance / after.variance);
}

}  // namespace

Figure draw_histograms(const HistogramSpec& before, const HistogramSpec& after, Box area, const Theme& theme,
                       const MeasureText& measure) {
  constexpr float distance = 24.0F;
  Figure figure{area.right(), area.bottom(), theme.panel, {}};
  const float line = measure("X", Font::sans, histogram_size).height;
  const float width = std::floor(0.5F * (area.w - distance));
  const float height = area.h - line - 8.0F;
  const double reach = std::max(reach_of(before.statistics), reach_of(after.statistics));
  draw_panel(before, reach, {area.x, area.y, width, height}, theme, measure, figure);
  draw_panel(after, reach, {area.right() - width, area.y, width, height}, theme, measure, figure);
  const std::string ratio = elided_text(variance_ratio_text(before.statistics, after.statistics), area.w,
                                        Font::sans, histogram_size, measure);
  figure.write(ratio, {area.x, area.bottom() - line}, theme.text, histogram_size, Font::sans);
  return figure;
}

}  // namespace headscope
