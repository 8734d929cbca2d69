#include "core/page/parts/signed_bars.h"

#include <algorithm>
#include <cmath>

#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float max_label_width = 104.0F;
constexpr float bar_column_gap = 16.0F;
constexpr float bar_number_width = 58.0F;
constexpr float bar_share = 0.6F;  ///< Share of the line height.
constexpr const char* about_zero = "≈ 0";

struct BarColumn {
  float left, width;
  double greatest;  ///< The greatest magnitude of the values.
  double most;      ///< The magnitude at the end of the bars.

  float room() const { return width - bar_number_width; }
  /// The width on one side of 0.
  float half(bool from_left) const { return from_left ? room() : room() / 2.0F; }
  float zero(bool from_left) const { return left + room() - half(from_left); }
};

/// 0 if all values are rounding.
double greatest_of(const SignedBars& bars) {
  double greatest = 0.0;
  for (const auto& value : bars.values) greatest = std::max(greatest, std::fabs(value.value_or(0.0)));
  return greatest <= bars.resolution ? 0.0 : greatest;
}

/// Writes a share. Beside negative ones, "< 0.001" would read as one of these.
std::string share_in(const SignedBars& bars, double share) {
  const std::string text = share_text(share);
  return !bars.from_left && text.starts_with("< 0") ? about_zero : text;
}

void draw_signed_bar(Figure& figure, const BarColumn& column, const SignedBars& bars, std::size_t line,
                     const BarTable& table, const Theme& theme) {
  const std::optional<double> value = bars.values[line];
  const float middle = table.line * (static_cast<float>(line) + 1.5F);
  const float half = column.half(bars.from_left);
  const float zero = column.zero(bars.from_left);
  const float half_line = table.line / 2.0F;
  figure.items.emplace_back(Line{{zero, middle - half_line}, {zero, middle + half_line}, theme.line, 1.0F});
  const bool is_rounding = value && std::fabs(*value) <= bars.resolution;
  const std::string text = !value                         ? table.instead[line]
                           : is_rounding && *value != 0.0 ? about_zero
                           : bars.are_shares              ? share_in(bars, *value)
                                                          : column_text(*value, column.greatest);
  figure.items.emplace_back(Label{text,
                                  {column.left + column.width, middle},
                                  value ? theme.text : theme.quiet,
                                  page_size::small,
                                  Font::mono,
                                  HorizontalAnchor::right,
                                  VerticalAnchor::middle});
  if (!value || is_rounding || text == about_zero || column.most <= 0.0) return;
  const float length = static_cast<float>(std::clamp(*value / column.most, -1.0, 1.0)) * half;
  const Color color = bars.color.value_or(*value < 0.0 ? table.negative : table.positive);
  const Box bar{std::min(zero, zero + length), middle - bar_share * table.line / 2.0F,
                std::max(std::fabs(length), 1.0F), bar_share * table.line};
  figure.items.emplace_back(FilledRect{bar, color, 2.0F});
}

/// The width of the labels to the left of the columns.
float label_width(const BarTable& table, const MeasureText& measure) {
  float widest = measure(table.labels_title, Font::sans_bold, page_size::small).width;
  for (const std::string& label : table.labels)
    widest = std::max(widest, measure(label, Font::sans_bold, page_size::control).width);
  return std::min(widest, max_label_width);
}

/// The greatest number of one digit, or 1.5, times a power of ten that is at most `most`. It is far enough
/// from 0 for the labels of both.
double round_number_below(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  const double digits = most / power + 1e-6;  // 0.7 / 0.1 is below 7
  return power * (digits >= 1.5 && digits < 2.0 ? 1.5 : std::floor(digits));
}

/// Writes 0 below a column, and on both sides a round number if there is space.
void draw_axis(Figure& figure, const BarColumn& column, const SignedBars& bars, const BarTable& table,
               const Theme& theme, const MeasureText& measure) {
  if (column.most <= 0.0) return;
  const float top = table.line * static_cast<float>(table.labels.size() + 1);
  const float zero = column.zero(bars.from_left);
  const auto write = [&](const std::string& text, float x) {
    figure.items.emplace_back(
        Label{text, {x, top + 2.0F}, theme.quiet, page_size::small, Font::mono, HorizontalAnchor::center});
  };
  write("0", zero);
  const double tick = round_number_below(column.most);
  const std::string text = number_text(-tick, 2);
  const float away = static_cast<float>(tick / column.most) * column.half(bars.from_left);
  constexpr float apart = 6.0F;
  const float digit = measure("0", Font::mono, page_size::small).width;
  if (away < (measure(text, Font::mono, page_size::small).width + digit) / 2.0F + apart) return;
  write(number_text(tick, 2), zero + away);
  if (!bars.from_left) write(text, zero - away);
}

}  // namespace

void set_diverging_colors(BarTable& table, const PictureOptions& picture) {
  const ColorMap& colors = color_map(picture.diverging, picture.theme);
  constexpr float strong_color = 0.15F;
  table.negative = sample(colors, strong_color);
  table.positive = sample(colors, 1.0F - strong_color);
}

float width_for_titles(const BarTable& table, const MeasureText& measure) {
  float widest = 0.0F;
  for (const SignedBars& bars : table.columns)
    widest = std::max(widest, measure(bars.title, Font::sans_bold, page_size::small).width);
  return label_width(table, measure) +
         (std::ceil(widest) + bar_column_gap) * static_cast<float>(table.columns.size());
}

Figure draw_bar_table(const BarTable& table, float width, const Theme& theme, const MeasureText& measure) {
  const float height = table.line * static_cast<float>(table.labels.size() + 1);
  Figure figure{width, height + (table.has_axes ? bar_axis_height : 0.0F), theme.panel, {}};
  const auto n = static_cast<float>(table.columns.size());
  const float bar_label_width = label_width(table, measure);
  const float column_width = (width - bar_label_width - bar_column_gap * n) / n;
  if (!table.labels_title.empty())
    figure.items.emplace_back(Label{table.labels_title,
                                    {0.0F, table.line / 2.0F},
                                    theme.quiet,
                                    page_size::small,
                                    Font::sans_bold,
                                    HorizontalAnchor::left,
                                    VerticalAnchor::middle});
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const SignedBars& bars = table.columns[c];
    const float left =
        bar_label_width + bar_column_gap + (column_width + bar_column_gap) * static_cast<float>(c);
    const double greatest = greatest_of(bars);
    const BarColumn column{left, column_width, greatest, bars.most.value_or(greatest)};
    const std::string title =
        elided_text(bars.title, column_width, Font::sans_bold, page_size::small, measure);
    // The title of bars to both sides stands above their middle, if it does not reach over the column's edge.
    const float title_width = measure(title, Font::sans_bold, page_size::small).width;
    const float middle =
        bars.from_left ? left : std::max(left, column.zero(bars.from_left) - title_width / 2.0F);
    figure.items.emplace_back(Label{title,
                                    {middle, table.line / 2.0F},
                                    theme.quiet,
                                    page_size::small,
                                    Font::sans_bold,
                                    HorizontalAnchor::left,
                                    VerticalAnchor::middle});
    for (std::size_t i = 0; i < bars.values.size(); ++i)
      draw_signed_bar(figure, column, bars, i, table, theme);
    if (table.has_axes) draw_axis(figure, column, bars, table, theme, measure);
  }
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    const bool is_marked = table.marked == i;
    const Font font = is_marked ? Font::sans_bold : Font::sans;
    figure.items.emplace_back(
        Label{elided_text(table.labels[i], bar_label_width, font, page_size::control, measure),
              {0.0F, table.line * (static_cast<float>(i) + 1.5F)},
              is_marked ? theme.accent : theme.text,
              page_size::control,
              font,
              HorizontalAnchor::left,
              VerticalAnchor::middle});
  }
  return figure;
}

}  // namespace headscope
