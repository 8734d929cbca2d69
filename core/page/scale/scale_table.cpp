#include "core/page/scale/scale_table.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/page/parts/page_text.h"

namespace headscope {

ScaleTable::ScaleTable(const PageInputs& in, std::vector<Column> columns) : in_(in) {
  constexpr bool from_left = true;
  table_.columns.reserve(columns.size());
  for (Column& column : columns)
    table_.columns.push_back({std::move(column.title), {}, from_left, 0.0, column.color});
}

void ScaleTable::add(const std::string& label, const std::optional<HeadId>& head,
                     const std::vector<std::optional<double>>& numbers, const std::string& instead) {
  const Selection& selection = in_.session.selection;
  const HeadId selected{selection.stack, selection.attention, selection.layer, selection.head};
  if (head == selected) table_.marked = table_.labels.size();
  table_.labels.push_back(label);
  table_.instead.push_back(instead);
  heads_.push_back(head);
  for (std::size_t c = 0; c < table_.columns.size(); ++c) {
    table_.columns[c].values.emplace_back(numbers[c]);
    const std::size_t first_of_pair = c / 2 * 2;
    for (const std::size_t each : {first_of_pair, first_of_pair + 1}) {
      std::optional<double>& most = table_.columns[each].most;
      most = std::max(most.value_or(0.0), numbers[c].value_or(0.0));
    }
  }
}

Page ScaleTable::drawn_columns(PageTools& tools, std::size_t first, std::size_t n, float width) const {
  BarTable part = table_;
  const auto begin = table_.columns.begin() + static_cast<std::ptrdiff_t>(first);
  part.columns.assign(begin, begin + static_cast<std::ptrdiff_t>(n));
  Page page{draw_bar_table(part, width, theme_of(in_.session.picture.theme), tools.measure), {}};
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const float top = part.line * static_cast<float>(i + 1);
    if (heads_[i]) page.regions.push_back({{0.0F, top, width, part.line}, HeadBar{*heads_[i]}});
  }
  return page;
}

Page ScaleTable::drawn(PageTools& tools, float width) const {
  const std::size_t n = table_.columns.size();
  if (width >= width_for_titles(table_, tools.measure)) return drawn_columns(tools, 0, n, width);
  Page page = drawn_columns(tools, 0, n / 2, width);
  append(page, drawn_columns(tools, n / 2, n - n / 2, width), 0.0F, page.figure.height + page_size::spacing);
  return page;
}

std::size_t first_listed(std::size_t n, std::size_t selected, std::size_t most) {
  if (n <= most) return 0;
  const std::size_t before = most / 2;
  return std::min(selected < before ? 0 : selected - before, n - most);
}

}  // namespace headscope
