#include "core/figure/histogram.h"

#include <algorithm>
#include <cmath>

#include "core/figure/cell_text.h"
#include "core/figure/text_fit.h"
#include "core/trace/explain.h"

namespace headscope {
namespace {

constexpr float text_size = 12.0F;
constexpr float small_size = 11.0F;

void add_label(Figure& figure, std::string text, Point at, Color color, float size, Font font,
               HorizontalAnchor horizontal) {
  figure.items.emplace_back(Label{std::move(text), at, color, size, font, horizontal, VerticalAnchor::top});
}

/// Draws one panel over values from −reach to reach.
void draw_panel(const HistogramSpec& spec, double reach, Box area, const Theme& theme,
                const MeasureText& measure, Figure& figure) {
  const float line = measure("X", Font::sans, text_size).height;
  add_label(figure, spec.title, {area.x, area.y}, theme.text, text_size, Font::sans_bold,
            HorizontalAnchor::left);
  const float title_width = measure(spec.title, Font::sans_bold, text_size).width + 8.0F;
  const std::string variance = elided_text("variance " + number_text(spec.statistics.variance, 3),
                                           area.w - title_width, Font::sans, small_size, measure);
  add_label(figure, variance, {area.x + title_width, area.y + 1.0F}, theme.quiet, small_size, Font::sans,
            HorizontalAnchor::left);
  const float top = area.y + line + 6.0F;
  const float base = std::floor(area.bottom() - line - 2.0F);
  figure.items.emplace_back(FilledRect{{area.x, base, area.w, 1.0F}, theme.line});
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
      figure.items.emplace_back(
          FilledRect{{left, base - height, std::max(1.0F, right - left - 0.5F), height}, theme.data});
    }
  }
  const float ticks = base + 4.0F;
  add_label(figure, tick_text(-reach), {area.x, ticks}, theme.quiet, small_size, Font::mono,
            HorizontalAnchor::left);
  add_label(figure, "0", {area.x + 0.5F * area.w, ticks}, theme.quiet, small_size, Font::mono,
            HorizontalAnchor::center);
  add_label(figure, tick_text(reach), {area.right(), ticks}, theme.quiet, small_size, Font::mono,
            HorizontalAnchor::right);
}

double reach_of(const Statistics& statistics) {
  return std::max(std::abs(statistics.minimum), std::abs(statistics.maximum));
}

}  // namespace

std::string variance_ratio_text(const Statistics& before, const Statistics& after) {
  if (before.count == 0 || after.count == 0) return "no variance, because no score is finite";
  const std::string both = "variance " + number_text(before.variance) + " → " + number_text(after.variance);
  if (after.variance <= 0.0) return both + ": all scores are equal";
  return both + ": ratio " + number_text(before.variance / after.variance);
}

Figure draw_histograms(const HistogramSpec& before, const HistogramSpec& after, Box area, const Theme& theme,
                       const MeasureText& measure) {
  constexpr float distance = 24.0F;
  Figure figure{area.right(), area.bottom(), theme.panel, {}};
  const float line = measure("X", Font::sans, text_size).height;
  const float width = std::floor(0.5F * (area.w - distance));
  const float height = area.h - line - 8.0F;
  const double reach = std::max(reach_of(before.statistics), reach_of(after.statistics));
  draw_panel(before, reach, {area.x, area.y, width, height}, theme, measure, figure);
  draw_panel(after, reach, {area.right() - width, area.y, width, height}, theme, measure, figure);
  const std::string ratio = elided_text(variance_ratio_text(before.statistics, after.statistics), area.w,
                                        Font::sans, text_size, measure);
  add_label(figure, ratio, {area.x, area.bottom() - line}, theme.text, text_size, Font::sans,
            HorizontalAnchor::left);
  return figure;
}

}  // namespace headscope
