#include "core/page/split/head_rows.h"

#include <algorithm>

#include "core/figure/column_groups.h"

namespace headscope {
namespace {

constexpr float name_size = 11.0F;
constexpr float row_cell_height = 22.0F;
constexpr float least_cell = 1.5F;
constexpr float beside_cells = 140.0F;  ///< Approximate width of labels and colour bar.
constexpr std::string_view row_slots = "head rows ";

struct Kinds {
  StageKind query = StageKind::query;
  StageKind key = StageKind::key;
};

Kinds kinds_of(const PageInputs& in) {
  if (in.trace->has(in.at(StageKind::mapped_query))) return {StageKind::mapped_query, StageKind::mapped_key};
  if (in.trace->has(in.at(StageKind::rotated_query)))
    return {StageKind::rotated_query, StageKind::rotated_key};
  const bool normed = in.trace->has(in.at(StageKind::normed_query));
  return normed ? Kinds{StageKind::normed_query, StageKind::normed_key} : Kinds{};
}

StageId of_head(const PageInputs& in, StageKind kind, int head) {
  StageId id = in.at(kind);
  id.head = head;
  return id;
}

HeatmapSpec rows_of(const PageInputs& in, const QueryAndKey& pair, OwnedMatrix& numbers) {
  const Kinds kinds = kinds_of(in);
  const Architecture& a = in.trace->architecture();
  const int width = a.head_width();
  numbers = OwnedMatrix(2, a.n_heads * width);
  for (int head = 0; head < a.n_heads; ++head) {
    const auto copy_row = [&](StageKind kind, int row, int to) {
      const StageNumbers numbers_of_row = in.trace->read(of_head(in, kind, head), {row, 0, 1, width});
      std::ranges::copy(numbers_of_row.view.row(0), &numbers.at(to, head * width));
    };
    copy_row(kinds.query, pair.query, 0);
    copy_row(kinds.key, pair.key, 1);
  }
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  spec.row_labels = std::vector{std::string(info(kinds.query).symbol), std::string(info(kinds.key).symbol)};
  spec.col_labels = {numbers.cols, [](int col) { return std::to_string(col); }};
  constexpr bool is_signed = true;
  spec.scale = ColorScale(in.session.picture, is_signed, numbers.view());
  spec.numbers = false;
  spec.color_bar_label = false;
  spec.font_size = 12.0F;
  return spec;
}

std::vector<ColumnGroup> groups_of(const PageInputs& in) {
  const Architecture& a = in.trace->architecture();
  std::vector<ColumnGroup> groups;
  groups.reserve(static_cast<std::size_t>(a.n_heads));
  for (int head = 0; head < a.n_heads; ++head) {
    groups.push_back({head * a.head_width(), a.head_width(), "head " + std::to_string(head),
                      head_color(in.session.picture, head, a.n_heads), head == in.session.selection.head});
  }
  return groups;
}

/// Every line has the same number of heads, except possibly the last.
int heads_in_line(const Architecture& a, float width) {
  const float head = static_cast<float>(a.head_width()) * least_cell;
  const int fitting = std::clamp(static_cast<int>((width - beside_cells) / head), 1, a.n_heads);
  const int n_lines = (a.n_heads + fitting - 1) / fitting;
  return (a.n_heads + n_lines - 1) / n_lines;
}

}  // namespace

void add_head_rows(const PageInputs& in, PageTools& tools, const QueryAndKey& pair, PageText& page) {
  const Architecture& a = in.trace->architecture();
  const int in_line = heads_in_line(a, page.width());
  TableSpec table;
  table.name =
      path(in.at(StageKind::query)) + " " + std::to_string(pair.query) + " " + std::to_string(pair.key);
  table.trace = in.trace;
  table.picture = in.session.picture;
  table.max_cell = row_cell_height;
  table.above = column_groups_height(name_size);
  const auto groups = groups_of(in);
  // Labels are shortened to fit the height of their area, which is larger than the map.
  constexpr float height = 240.0F;
  for (int first = 0; first < a.n_heads; first += in_line) {
    const int n_heads = std::min(in_line, a.n_heads - first);
    table.window = {0, 2, first * a.head_width(), n_heads * a.head_width()};
    const std::string slot = std::string(row_slots) + std::to_string(first);
    Page rows = table_page(
        tools, slot, table, [&](OwnedMatrix& numbers) { return rows_of(in, pair, numbers); }, page.width(),
        height);
    append(rows.figure,
           draw_column_groups(groups, tools.memo.tables[slot].layout, name_size, page.theme(), tools.measure),
           0.0F, 0.0F);
    page.add(rows);
  }
}

std::optional<Pin> cell_of_head_rows(const PageInputs& in, const std::string& table, CellIndex cell) {
  if (!table.starts_with(row_slots)) return std::nullopt;
  const int width = in.trace->architecture().head_width();
  const Kinds kinds = kinds_of(in);
  const QueryAndKey pair = shown_pair(in);
  const bool is_query = cell.row == 0;
  const StageId stage = of_head(in, is_query ? kinds.query : kinds.key, cell.col / width);
  return Pin{stage, is_query ? pair.query : pair.key, cell.col % width};
}

}  // namespace headscope
