#include "core/figure/color_bar.h"

#include <algorithm>

#include "core/figure/heatmap_metrics.h"
#include "core/figure/text_fit.h"

namespace headscope {

Color hatch_color(const Theme& theme) {
  return mixed(theme.line, theme.quiet, 0.35F);
}

void draw_color_bar(const ColorScale& scale, Box bar, bool with_label, float font_size, const Theme& theme,
                    const MeasureText& measure, Figure& figure) {
  using namespace heatmap_metrics;
  const int n_steps = std::clamp(static_cast<int>(bar.h), 2, 128);
  for (int i = 0; i < n_steps; ++i) {
    // Each step reaches down to the end of the bar and is covered by the next: no seam shows between them.
    const float top = bar.y + bar.h * static_cast<float>(i) / static_cast<float>(n_steps);
    const float share = 1.0F - static_cast<float>(i) / static_cast<float>(n_steps - 1);
    figure.items.emplace_back(FilledRect{{bar.x, top, bar.w, bar.bottom() - top}, scale.color_at(share)});
  }
  const float size = tick_size(font_size);
  const float line = measure("0", Font::mono, size).height;
  const std::vector<ColorScale::Tick> ticks = scale.ticks();
  const std::size_t every = bar.h >= 10.0F * line ? 1 : 2;
  float widest = 0.0F;
  for (std::size_t i = 0; i < ticks.size(); i += every) {
    const float y = bar.bottom() - ticks[i].share * bar.h;
    // The outermost numbers stay beside the bar; of one that is lower than they are, at its middle.
    const float inset = std::min(0.4F * line, 0.5F * bar.h);
    const float center = std::min(std::max(y, bar.y + inset), bar.bottom() - inset);
    figure.items.emplace_back(Label{ticks[i].text,
                                    {bar.right() + tick_distance, center},
                                    theme.quiet,
                                    size,
                                    Font::mono,
                                    HorizontalAnchor::left,
                                    VerticalAnchor::middle});
    widest = std::max(widest, measure(ticks[i].text, Font::mono, size).width);
  }
  const std::string words = scale.label();
  if (!with_label || measure(words, Font::sans, size).width > bar.h) return;
  const float x = bar.right() + tick_distance + widest + bar_label_distance + 0.5F * line;
  figure.items.emplace_back(Label{words,
                                  {x, bar.y + 0.5F * bar.h},
                                  theme.quiet,
                                  size,
                                  Font::sans,
                                  HorizontalAnchor::center,
                                  VerticalAnchor::middle,
                                  90.0F});
}

}  // namespace headscope
