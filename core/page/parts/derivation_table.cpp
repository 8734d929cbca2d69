#include "core/page/parts/derivation_table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/figure/text_fit.h"
#include "core/figure/theme.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/page_builder.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr float table_line_height = 18.0F;
constexpr float padding = 6.0F;
constexpr std::size_t most_rows = 64;
constexpr std::size_t strongest_rows = 24;

std::string element_name(const Explanation::Strip& strip, std::size_t element) {
  return element < strip.names.size() ? strip.names[element] : std::to_string(element);
}

/// Draws one table from top to bottom.
class Table {
 public:
  Table(const PageInputs& in, const PageTools& tools, std::span<const Explanation::Strip> group, float width)
      : group_(group),
        rows_(listed_elements(group.back().values, most_rows, strongest_rows)),
        theme_(theme_of(in.session.picture.theme)),
        measure_(tools.measure),
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
    figure_.items.emplace_back(FilledRect{{0.0F, y_, width_, 1.0F}, theme_.line});
    y_ += 2.0F;
  }

  void row(std::size_t element) {
    write(elided_text(element_name(group_.front(), element), names_width_ - padding, Font::sans,
                      page_size::small, measure_),
          0.0F, HorizontalAnchor::left, Font::sans, theme_.quiet);
    bar(group_.back().values[element]);
    for (std::size_t column = 0; column < group_.size(); ++column) {
      const float value = group_[column].values[element];
      const std::string text = std::isnan(value) ? hidden_number : number_text(static_cast<double>(value), 4);
      write(text, right_of(column), HorizontalAnchor::right, Font::mono, theme_.text);
    }
    y_ += table_line_height;
  }

  void bar(float value) {
    if (!std::isfinite(value) || greatest_ <= 0.0F) return;
    const float most = column_width_ - padding + 4.0F;
    const float length = most * std::fabs(value) / greatest_;
    figure_.items.emplace_back(
        FilledRect{{width_ - length, y_ + 1.0F, length, table_line_height - 2.0F}, theme_.accent_soft, 3.0F});
  }

  float right_of(std::size_t column) const {
    return names_width_ + column_width_ * static_cast<float>(column + 1) - 4.0F;
  }

  std::span<const Explanation::Strip> group_;
  std::vector<std::size_t> rows_;
  const Theme& theme_;
  const MeasureText& measure_;
  float width_;
  float names_width_ = 0.0F;
  float column_width_ = 0.0F;
  float greatest_ = 0.0F;
  float y_ = 0.0F;
  Figure figure_;
};

}  // namespace

Figure derivation_table(const PageInputs& in, const PageTools& tools,
                        std::span<const Explanation::Strip> group, float width) {
  return Table(in, tools, group, width).drawn();
}

}  // namespace headscope
