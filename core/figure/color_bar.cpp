#include "core/figure/color_bar.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/figure/heatmap_metrics.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

struct PlacedTick {
  std::string text;
  float y;  ///< The middle of the text.
};

/// The largest set of the bar's numbers at regular intervals that do not touch each other. The number nearest
/// to zero is always included, so a diverging scale has the same numbers above and below zero.
std::vector<PlacedTick> ticks_with_room(const ColorScale& scale, Box bar, float line) {
  const std::vector<ColorScale::Tick> ticks = scale.ticks();
  // The outermost numbers stay beside the bar. If the bar is lower than a number, it stands at the middle of
  // the bar.
  const float inset = std::min(0.4F * line, 0.5F * bar.h);
  const auto y_of = [&](std::size_t i) {
    return std::min(std::max(bar.bottom() - ticks[i].share * bar.h, bar.y + inset), bar.bottom() - inset);
  };
  const auto nearest = std::min_element(ticks.begin(), ticks.end(), [](const auto& a, const auto& b) {
    return std::abs(a.value) < std::abs(b.value);
  });
  const auto zero = static_cast<std::size_t>(nearest - ticks.begin());
  const auto place = [&](std::size_t every) {
    std::vector<PlacedTick> placed;
    for (std::size_t i = zero % every; i < ticks.size(); i += every)
      placed.push_back({ticks[i].text, y_of(i)});
    return placed;
  };
  const auto touch = [line](const PlacedTick& lower, const PlacedTick& upper) {
    return lower.y - upper.y < 1.1F * line;
  };
  for (std::size_t every = 1;; ++every) {
    std::vector<PlacedTick> placed = place(every);
    if (placed.size() < 2 || std::ranges::adjacent_find(placed, touch) == placed.end()) return placed;
  }
}

}  // namespace

Color hatch_color(const Theme& theme) {
  return mixed(theme.line, theme.quiet, 0.35F);
}

void draw_bar_colors(const ColorScale& scale, Box bar, Figure& figure) {
  const int n_steps = std::clamp(static_cast<int>(bar.h), 2, 128);
  for (int i = 0; i < n_steps; ++i) {
    // Each step reaches down to the end of the bar and is covered by the next one, so that no seams are
    // visible.
    const float top = bar.y + bar.h * static_cast<float>(i) / static_cast<float>(n_steps);
    const float share = 1.0F - static_cast<float>(i) / static_cast<float>(n_steps - 1);
    figure.items.emplace_back(FilledRect{{bar.x, top, bar.w, bar.bottom() - top}, scale.color_at(share)});
  }
}

void draw_color_bar(const ColorScale& scale, Box bar, std::span<const std::string> labels, float font_size,
                    const Theme& theme, const MeasureText& measure, Figure& figure) {
  using namespace heatmap_metrics;
  draw_bar_colors(scale, bar, figure);
  const float size = tick_size(font_size);
  const float line = measure("0", Font::mono, size).height;
  float widest = 0.0F;
  for (const PlacedTick& tick : ticks_with_room(scale, bar, line)) {
    figure.items.emplace_back(Label{tick.text,
                                    {bar.right() + tick_distance, tick.y},
                                    theme.quiet,
                                    size,
                                    Font::mono,
                                    HorizontalAnchor::left,
                                    VerticalAnchor::middle});
    widest = std::max(widest, measure(tick.text, Font::mono, size).width);
  }
  const auto label = std::ranges::find_if(
      labels, [&](const std::string& words) { return measure(words, Font::sans, size).width <= bar.h; });
  if (label == labels.end()) return;
  const float x = bar.right() + tick_distance + widest + bar_label_distance + 0.5F * line;
  figure.items.emplace_back(Label{*label,
                                  {x, bar.y + 0.5F * bar.h},
                                  theme.quiet,
                                  size,
                                  Font::sans,
                                  HorizontalAnchor::center,
                                  VerticalAnchor::middle,
                                  90.0F});
}

}  // namespace headscope
