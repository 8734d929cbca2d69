#include "core/figure/head_scores.h"

#include <algorithm>
#include <cmath>

#include "core/figure/colormap.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float size = 12.0F;
constexpr float line = 24.0F;
constexpr float name_left = 22.0F;
constexpr float gap = 12.0F;
constexpr float inset = 8.0F;  ///< The margin at both ends of a line.
constexpr float bar_height = 10.0F;
constexpr float min_bar_width = 40.0F;  ///< Narrower bars would not show anything.

/// The numbers of a column have the same decimals.
constexpr int decimals = 2;

/// The positions of the columns.
struct Columns {
  float raw_right = 0.0F;
  float scaled_right = 0.0F;
  float bars_left = 0.0F, bars_right = 0.0F;
};

Columns columns_of(const HeadScoresSpec& spec, float width, const MeasureText& measure) {
  // Most numbers fit into this space, so the columns do not move from pair to pair.
  float raw = measure("−12.34", Font::mono, size).width;
  float scaled = measure("= −12.34", Font::mono, size).width;
  float name = 0.0F;
  for (std::size_t i = 0; i < spec.heads.size(); ++i) {
    const HeadScore& head = spec.heads[i];
    raw = std::max(raw, measure(decimals_text(head.raw, decimals), Font::mono, size).width);
    scaled = std::max(scaled, measure("= " + decimals_text(head.scaled, decimals), Font::mono, size).width);
    name = std::max(name, measure("head " + std::to_string(i), Font::sans_bold, size).width);
  }
  Columns columns;
  columns.raw_right = std::ceil(name_left + name + gap + raw);
  const float scaling = measure(spec.scaling, Font::mono, size).width;
  columns.scaled_right = columns.raw_right;
  if (spec.is_scaled) columns.scaled_right = std::ceil(columns.raw_right + scaling + 0.75F * gap + scaled);
  columns.bars_left = columns.scaled_right + 2.0F * gap;
  columns.bars_right = width - inset;
  return columns;
}

void write(Figure& figure, const std::string& text, Point at, Color color, Font font,
           HorizontalAnchor anchor) {
  figure.items.emplace_back(Label{text, at, color, size, font, anchor, VerticalAnchor::middle});
}

void draw_heading(const HeadScoresSpec& spec, const Columns& columns, const Theme& theme, Figure& figure) {
  constexpr float middle = 0.5F * line;
  write(figure, "raw", {columns.raw_right, middle}, theme.quiet, Font::sans, HorizontalAnchor::right);
  if (!spec.scaling.empty()) {
    write(figure, spec.scaling, {columns.raw_right, middle}, theme.quiet, Font::mono, HorizontalAnchor::left);
  }
  if (!spec.is_scaled) return;
  write(figure, "scaled", {columns.scaled_right, middle}, theme.quiet, Font::sans, HorizontalAnchor::right);
}

void draw_bar(const HeadScore& head, double greatest, float middle, const Columns& columns,
              const Theme& theme, Figure& figure) {
  if (columns.bars_right - columns.bars_left < min_bar_width) return;
  const float zero = std::round(0.5F * (columns.bars_left + columns.bars_right));
  const double share = greatest > 0.0 && std::isfinite(head.scaled) ? head.scaled / greatest : 0.0;
  const float length = static_cast<float>(share) * (columns.bars_right - zero);
  const float top = middle - 0.5F * bar_height;
  figure.items.emplace_back(FilledRect{
      {std::min(zero, zero + length), top, std::max(1.0F, std::abs(length)), bar_height}, head.color});
  figure.items.emplace_back(
      FilledRect{{zero - 0.5F, middle - 0.5F * line, 1.0F, line}, mixed(theme.line, theme.quiet, 0.4F)});
}

void draw_line(const HeadScoresSpec& spec, int index, double greatest, float width, const Columns& columns,
               const Theme& theme, Figure& figure) {
  const HeadScore& head = spec.heads[static_cast<std::size_t>(index)];
  const float top = line * static_cast<float>(index + 1);
  const float middle = top + 0.5F * line;
  const bool chosen = spec.chosen == index;
  if (chosen || spec.hovered == index) {
    figure.items.emplace_back(
        FilledRect{{0.0F, top, width, line}, chosen ? theme.accent_soft : theme.control, 4.0F});
  }
  figure.items.emplace_back(FilledRect{{inset, middle - 4.0F, 8.0F, 8.0F}, head.color, 2.0F});
  write(figure, "head " + std::to_string(index), {name_left, middle}, chosen ? theme.accent : theme.text,
        chosen ? Font::sans_bold : Font::sans, HorizontalAnchor::left);
  write(figure, decimals_text(head.raw, decimals), {columns.raw_right, middle}, theme.text, Font::mono,
        HorizontalAnchor::right);
  write(figure, spec.scaling, {columns.raw_right, middle}, theme.quiet, Font::mono, HorizontalAnchor::left);
  if (spec.is_scaled)
    write(figure, "= " + decimals_text(head.scaled, decimals), {columns.scaled_right, middle}, theme.text,
          Font::mono, HorizontalAnchor::right);
  draw_bar(head, greatest, middle, columns, theme, figure);
}

}  // namespace

float head_scores_height(const HeadScoresSpec& spec) {
  return line * static_cast<float>(spec.heads.size() + 1);
}

Box head_score_box(int head, float width) {
  return {0.0F, line * static_cast<float>(head + 1), width, line};
}

Figure draw_head_scores(const HeadScoresSpec& spec, float width, const Theme& theme,
                        const MeasureText& measure) {
  Figure figure{width, head_scores_height(spec), theme.panel, {}};
  const Columns columns = columns_of(spec, width, measure);
  double greatest = 0.0;
  for (const HeadScore& head : spec.heads) {
    if (std::isfinite(head.scaled)) greatest = std::max(greatest, std::abs(head.scaled));
  }
  draw_heading(spec, columns, theme, figure);
  for (int i = 0; i < static_cast<int>(spec.heads.size()); ++i) {
    draw_line(spec, i, greatest, width, columns, theme, figure);
  }
  return figure;
}

}  // namespace headscope
