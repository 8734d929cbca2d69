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
  for (const std::string& label : table.labels)
    for (const Font font : {Font::sans, Font::sans_bold})
      widest = std::max(widest, measure(label, font, page_size::control).width);
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

std::string element_name(const Explanation::Strip& strip, std::size_t element) {
  return element < strip.names.size() ? strip.names[element] : std::to_string(element);
}

class Table {
 public:
  Table(const PageInputs& in, const PageTools& tools, std::span<const Explanation::Strip> group, float width)
      : group_(group),
        rows_(listed_elements(group.back().values, most_rows, strongest_rows)),
        theme_(in.theme()),
        measure_(tools.measure),
        picture_(in.session.picture),
        width_(width) {
    figure_.width = width;
    figure_.background = theme_.panel;
    names_width_ = width_of_names();
    column_width_ = (width - names_width_) / static_cast<float>(group.size());
    for (const std::size_t element : rows_) {
      const float value = group_.back().values[element];
      if (std::isfinite(value)) greatest_ = std::max(greatest_, std::fabs(value));
    }
  }

  Figure drawn() {
    header();
    for (const std::size_t element : rows_) row(element);
    const std::size_t n_others = group_.front().values.size() - rows_.size();
    if (n_others > 0) {
      write("and " + std::to_string(n_others) + " weaker ones", 0.0F, HorizontalAnchor::left, Font::sans,
            theme_.quiet);
      y_ += table_line_height;
    }
    figure_.height = y_;
    return std::move(figure_);
  }

 private:
  float width_of_names() const {
    constexpr float max_share = 0.3F;
    float widest = measure_(names_title(), Font::sans, page_size::small).width;
    for (const std::size_t element : rows_)
      widest = std::max(widest,
                        measure_(element_name(group_.front(), element), Font::sans, page_size::small).width);
    return std::min(std::ceil(widest) + padding, max_share * width_);
  }

  std::string names_title() const { return group_.front().names.empty() ? "dim" : "key"; }

  void write(std::string_view text, float x, HorizontalAnchor anchor, Font font, Color color) {
    add_text(figure_, std::string(text), {x, y_ + 0.5F * table_line_height}, color, page_size::small, font,
             anchor);
  }

  /// Draws the labels of the strips. Each is wrapped to the width of its column.
  void header() {
    std::vector<std::vector<std::string>> lines;
    std::size_t n_lines = 1;
    for (const Explanation::Strip& strip : group_) {
      lines.push_back(
          wrapped_lines(strip.label, column_width_ - padding, Font::sans_bold, page_size::small, measure_));
      n_lines = std::max(n_lines, lines.back().size());
    }
    constexpr float tight = 14.0F;
    const float first = y_;
    for (std::size_t column = 0; column < lines.size(); ++column) {
      const std::size_t n_empty = n_lines - lines[column].size();
      for (std::size_t i = 0; i < lines[column].size(); ++i) {
        y_ = first + tight * static_cast<float>(n_empty + i);
        write(lines[column][i], right_of(column), HorizontalAnchor::right, Font::sans_bold, theme_.quiet);
      }
    }
    y_ = first + tight * static_cast<float>(n_lines - 1);
    write(names_title(), 0.0F, HorizontalAnchor::left, Font::sans_bold, theme_.quiet);
    y_ += table_line_height;
    add_box(figure_, {0.0F, y_, width_, 1.0F}, theme_.line);
    y_ += 2.0F;
  }

  void row(std::size_t element) {
    write(elided_text(element_name(group_.front(), element), names_width_ - padding, Font::sans,
                      page_size::small, measure_),
          0.0F, HorizontalAnchor::left, Font::sans, theme_.quiet);
    bar(group_.back().values[element]);
    for (std::size_t column = 0; column < group_.size(); ++column) {
      const float value = group_[column].values[element];
      const std::string text = std::isnan(value) ? hidden_number : derived_text(static_cast<double>(value));
      write(text, right_of(column), HorizontalAnchor::right, Font::mono, theme_.text);
    }
    y_ += table_line_height;
  }

  std::string derived_text(double value) const {
    return picture_.all_numbers ? number_text(value) : page_number(picture_, value);
  }

  void bar(float value) {
    if (!std::isfinite(value) || greatest_ <= 0.0F) return;
    const float most = column_width_ - padding + 4.0F;
    const float length = most * std::fabs(value) / greatest_;
    add_box(figure_, {width_ - length, y_ + 1.0F, length, table_line_height - 2.0F}, theme_.accent_soft,
            3.0F);
  }

  float right_of(std::size_t column) const {
    return names_width_ + column_width_ * static_cast<float>(column + 1) - 4.0F;
  }

  std::span<const Explanation::Strip> group_;
  std::vector<std::size_t> rows_;
  const Theme& theme_;
  const MeasureText& measure_;
  const PictureOptions& picture_;
  float width_;
  float names_width_ = 0.0F;
  float column_width_ = 0.0F;
  float greatest_ = 0.0F;
  float y_ = 0.0F;
  Figure figure_;
};

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
  return figure;
}

std::vector<std::string> step_texts(std::span<const Explanation::Step> steps, const PictureOptions& picture) {
  std::vector<std::string> texts;
  if (!picture.details && !picture.all_numbers) {
    for (const Explanation::Step& step : steps) texts.push_back(rounded_text(step.value));
    return texts;
  }
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
  for (const Explanation::Step& step : steps)
    texts.push_back(is_sum && std::fabs(step.value) >= smallest ? decimals_text(step.value, decimals)
                                                                : number_text(step.value, digits));
  return texts;
}

Figure derivation_table(const PageInputs& in, const PageTools& tools,
                        std::span<const Explanation::Strip> group, float width) {
  return Table(in, tools, group, width).drawn();
}

}  // namespace headscope
