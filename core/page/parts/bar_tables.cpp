#include "core/page/parts/bar_tables.h"

#include <algorithm>
#include <cmath>

#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"
#include "core/figure/theme.h"
#include "core/page/parts/covered.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float max_label_width = 104.0F;
constexpr float bar_column_gap = 16.0F;
constexpr float bar_number_width = 58.0F;
constexpr float bar_share = 0.6F;  ///< Share of the line height.
constexpr std::string_view about_zero = "≈0";
constexpr double small_column = 0.01;  ///< Three decimals would say little of its numbers.

struct BarColumn {
  float left, width;
  double most;  ///< The magnitude at the end of the bars.

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

void draw_signed_bar(Figure& figure, const BarColumn& column, const SignedBars& bars, std::size_t line,
                     const BarTable& table, const Theme& theme) {
  const std::optional<double> value = bars.values[line];
  const float middle = table.line * (static_cast<float>(line) + 1.5F);
  const float half = column.half(bars.from_left);
  const float zero = column.zero(bars.from_left);
  const float half_line = table.line / 2.0F;
  add_line(figure, {zero, middle - half_line}, {zero, middle + half_line}, theme.line, 1.0F);
  const bool is_rounding = value && *value != 0.0 && std::fabs(*value) <= bars.resolution;
  const std::string text = !value                       ? table.instead[line]
                           : is_rounding                ? std::string(about_zero)
                           : column.most < small_column ? number_text(*value, 3)
                                                        : rounded_text(*value);
  add_text(figure, text, {column.left + column.width, middle}, value ? theme.text : theme.quiet,
           page_size::small, Font::mono, HorizontalAnchor::right);
  if (!value || *value == 0.0 || text == about_zero || column.most <= 0.0) return;
  const float length = static_cast<float>(std::clamp(*value / column.most, -1.0, 1.0)) * half;
  const Color color = bars.color.value_or(*value < 0.0 ? table.negative : table.positive);
  const Box bar{std::min(zero, zero + length), middle - bar_share * table.line / 2.0F,
                std::max(std::fabs(length), 1.0F), bar_share * table.line};
  add_box(figure, bar, color, 2.0F);
}

float label_width(const BarTable& table, const MeasureText& measure) {
  float widest = measure(table.labels_title, Font::sans_bold, page_size::small).width;
  for (const Font font : {Font::sans, Font::sans_bold})
    widest = std::max(widest, widest_text(table.labels, font, page_size::control, measure));
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
    figure.write(text, {x, top + 2.0F}, theme.quiet, page_size::small, Font::mono, HorizontalAnchor::center);
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

constexpr float table_line_height = 18.0F;
constexpr float padding = 6.0F;
constexpr std::size_t most_rows = 64;
constexpr std::size_t strongest_rows = 24;

/// Writes the labels of the strips, wrapped to the width of a column, so that all end at the same height.
/// Returns the height of their last lines.
template <class Write>
float write_labels(std::span<const Explanation::Strip> group, float width, const MeasureText& measure,
                   const Write& write) {
  std::vector<std::vector<std::string>> labels;
  std::size_t n_lines = 1;
  for (const Explanation::Strip& strip : group) {
    labels.push_back(wrapped_lines(strip.label, width, Font::sans_bold, page_size::small, measure));
    n_lines = std::max(n_lines, labels.back().size());
  }
  constexpr float tight = 14.0F;
  for (std::size_t column = 0; column < labels.size(); ++column) {
    const std::size_t n_empty = n_lines - labels[column].size();
    for (std::size_t i = 0; i < labels[column].size(); ++i)
      write(labels[column][i], column, tight * static_cast<float>(n_empty + i));
  }
  return tight * static_cast<float>(n_lines - 1);
}

}  // namespace

void set_diverging_colors(BarTable& table, const PictureOptions& picture) {
  const ColorMap& colors = color_map(picture.diverging, picture.theme);
  constexpr float strong_color = 0.15F;
  table.negative = sample(colors, strong_color);
  table.positive = sample(colors, 1.0F - strong_color);
}

float width_for_titles(const BarTable& table, const MeasureText& measure) {
  const float widest =
      widest_text(table.columns, Font::sans_bold, page_size::small, measure, &SignedBars::title);
  return label_width(table, measure) +
         (std::ceil(widest) + bar_column_gap) * static_cast<float>(table.columns.size());
}

Page draw_bar_table(const BarTable& table, float width, const Theme& theme, const MeasureText& measure) {
  const float height = table.line * static_cast<float>(table.labels.size() + 1);
  Page page{{width, height + (table.has_axes ? bar_axis_height : 0.0F), theme.panel, {}}, {}};
  Figure& figure = page.figure;
  const auto n = static_cast<float>(table.columns.size());
  const float bar_label_width = label_width(table, measure);
  const float column_width = (width - bar_label_width - bar_column_gap * n) / n;
  if (!table.labels_title.empty())
    add_text(figure, table.labels_title, {0.0F, table.line / 2.0F}, theme.quiet, page_size::small,
             Font::sans_bold);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const SignedBars& bars = table.columns[c];
    const float left =
        bar_label_width + bar_column_gap + (column_width + bar_column_gap) * static_cast<float>(c);
    const BarColumn column{left, column_width, bars.most.value_or(greatest_of(bars))};
    const std::string title =
        elided_text(bars.title, column_width, Font::sans_bold, page_size::small, measure);
    // The title of bars to both sides stands above their middle, if it does not reach over the column's edge.
    const float title_width = measure(title, Font::sans_bold, page_size::small).width;
    const float middle =
        bars.from_left ? left : std::max(left, column.zero(bars.from_left) - title_width / 2.0F);
    add_text(figure, title, {middle, table.line / 2.0F}, theme.quiet, page_size::small, Font::sans_bold);
    for (std::size_t i = 0; i < bars.values.size(); ++i)
      draw_signed_bar(figure, column, bars, i, table, theme);
    if (table.has_axes) draw_axis(figure, column, bars, table, theme, measure);
  }
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    const bool is_marked = table.marked == i;
    const Font font = is_marked ? Font::sans_bold : Font::sans;
    add_text(figure, elided_text(table.labels[i], bar_label_width, font, page_size::control, measure),
             {0.0F, table.line * (static_cast<float>(i) + 1.5F)}, is_marked ? theme.accent : theme.text,
             page_size::control, font);
  }
  for (std::size_t i = 0; i < table.parts.size(); ++i) {
    const float top = table.line * static_cast<float>(i + 1);
    if (table.parts[i]) page.regions.push_back({{0.0F, top, width, table.line}, *table.parts[i]});
  }
  return page;
}

std::vector<std::string> step_texts(std::span<const Explanation::Step> steps, const PictureOptions& picture) {
  constexpr int digits = 5;
  constexpr std::size_t least_of_sum = 3;
  constexpr double rounding = 1e-5;
  constexpr double smallest = 0.01;
  constexpr int max_decimals = 6;
  double sum = 0.0;
  double greatest = 0.0;
  for (const Explanation::Step& step : steps) {
    sum += step.value;
    greatest = std::max(greatest, std::fabs(step.value));
  }
  const double total = steps.empty() ? 0.0 : steps.back().value;
  const bool is_sum = steps.size() >= least_of_sum && std::fabs(total) >= smallest &&
                      std::fabs(sum - 2.0 * total) < rounding * greatest;
  const auto adds_up = [&](int decimals) {
    const double unit = std::pow(10.0, decimals);
    double rounded = 0.0;
    for (const Explanation::Step& step : steps) rounded += std::round(step.value * unit);
    return rounded == 2.0 * std::round(total * unit);
  };
  int decimals = digits - 1;
  while (is_sum && decimals < max_decimals && !adds_up(decimals)) ++decimals;
  std::vector<std::string> texts;
  for (const Explanation::Step& step : steps)
    texts.push_back(!picture.details && !picture.all_numbers      ? rounded_text(step.value)
                    : is_sum && std::fabs(step.value) >= smallest ? decimals_text(step.value, decimals)
                                                                  : number_text(step.value, digits));
  return texts;
}

Figure derivation_table(const PageInputs& in, const PageTools& tools,
                        std::span<const Explanation::Strip> group, float width) {
  const Explanation::Strip& first = group.front();
  const std::vector<float>& results = group.back().values;
  const std::vector<std::size_t> rows = listed_elements(results, most_rows, strongest_rows);
  const auto name = [&](std::size_t element) {
    return element < first.names.size() ? first.names[element] : std::to_string(element);
  };
  const std::string names_title = first.names.empty() ? "dim" : "key";
  constexpr float max_share = 0.3F;
  const float widest = std::max(tools.measure(names_title, Font::sans, page_size::small).width,
                                widest_text(rows, Font::sans, page_size::small, tools.measure, name));
  const float names_width = std::min(std::ceil(widest) + padding, max_share * width);
  const float column_width = (width - names_width) / static_cast<float>(group.size());
  float greatest = 0.0F;
  for (const std::size_t element : rows)
    if (std::isfinite(results[element])) greatest = std::max(greatest, std::fabs(results[element]));
  const Theme& theme = in.theme();
  Figure figure{width, 0.0F, theme.panel, {}};
  float y = 0.0F;
  const auto write_name = [&](const std::string& text, Font font) {
    add_text(figure, text, {0.0F, y + 0.5F * table_line_height}, theme.quiet, page_size::small, font);
  };
  const auto write = [&](const std::string& text, std::size_t column, Font font, Color color) {
    const float right = names_width + column_width * static_cast<float>(column + 1) - 4.0F;
    add_text(figure, text, {right, y + 0.5F * table_line_height}, color, page_size::small, font,
             HorizontalAnchor::right);
  };
  const auto write_label = [&](const std::string& text, std::size_t column, float at) {
    y = at;
    write(text, column, Font::sans_bold, theme.quiet);
  };
  y = write_labels(group, column_width - padding, tools.measure, write_label);
  write_name(names_title, Font::sans_bold);
  y += table_line_height;
  add_box(figure, {0.0F, y, width, 1.0F}, theme.line);
  y += 2.0F;
  for (const std::size_t element : rows) {
    write_name(elided_text(name(element), names_width - padding, Font::sans, page_size::small, tools.measure),
               Font::sans);
    if (std::isfinite(results[element]) && greatest > 0.0F) {
      const float length = (column_width - padding + 4.0F) * std::fabs(results[element]) / greatest;
      add_box(figure, {width - length, y + 1.0F, length, table_line_height - 2.0F}, theme.accent_soft, 3.0F);
    }
    for (std::size_t column = 0; column < group.size(); ++column) {
      const float value = group[column].values[element];
      write(std::isnan(value)                ? hidden_number
            : in.session.picture.all_numbers ? number_text(value)
                                             : in.number(value),
            column, Font::mono, theme.text);
    }
    y += table_line_height;
  }
  if (const std::size_t n_others = first.values.size() - rows.size(); n_others > 0) {
    write_name("and " + std::to_string(n_others) + " weaker ones", Font::sans);
    y += table_line_height;
  }
  figure.height = y;
  return figure;
}

}  // namespace headscope
