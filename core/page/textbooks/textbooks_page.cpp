#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/figure/heatmap.h"
#include "core/figure/text_fit.h"
#include "core/page/pages.h"
#include "core/page/parts/page_builder.h"

namespace headscope {
namespace {

constexpr float row_of_numbers = 17.0F;
constexpr float between_numbers = 14.0F;
constexpr float between_blocks = 36.0F;
constexpr int max_number_rows = 12;
constexpr int max_number_columns = 20;
constexpr float max_label_width = 120.0F;  ///< The greatest width of a row's label.

/// The height of the lines above the numbers: the caption and, if they are known, the labels of the columns.
float height_above(const ComputedQuantity& computed, const PageBuilder& page) {
  const float line = std::ceil(page.measure()("X", Font::sans, page_size::small).height) + 3.0F;
  return computed.cols.empty() ? line : 2.0F * line;
}

/// The cells that the two matrices of a quantity have in common, and that are shown.
CellGrid grid_of(const Quantity& quantity, const ComputedQuantity& computed, const PageBuilder& page) {
  const NumberTable& numbers = computed.numbers;
  CellGrid grid;
  grid.cell_height = row_of_numbers;
  grid.n_rows = std::min(numbers.rows, max_number_rows);
  grid.n_cols = std::min(numbers.cols, max_number_columns);
  const auto widen = [&](const NumberTable& table) {
    for (int row = 0; row < std::min(grid.n_rows, table.rows); ++row) {
      for (int col = 0; col < std::min(grid.n_cols, table.cols); ++col) {
        const std::string text = quantity_text(quantity, table.at(row, col));
        grid.cell_width = std::max(
            grid.cell_width, page.measure()(text, Font::mono, page_size::control).width + between_numbers);
      }
    }
  };
  widen(numbers);
  if (quantity.printed) widen(*quantity.printed);
  grid.cell_width = std::ceil(std::max(grid.cell_width, 1.0F));
  const float room = page.width() - (computed.rows.empty() ? 0.0F : max_label_width);
  grid.n_cols = std::clamp(static_cast<int>(room / grid.cell_width), 1, grid.n_cols);
  grid.cells = {0.0F, height_above(computed, page), grid.cell_width * static_cast<float>(grid.n_cols),
                row_of_numbers * static_cast<float>(grid.n_rows)};
  return grid;
}

/// The computed numbers, which are drawn more strongly, or the printed ones.
Page drawn_block(bool is_computed, const CellGrid& grid, const Quantity& quantity,
                 const ComputedQuantity& computed, std::size_t index, const PageBuilder& page) {
  const NumberTable& numbers = is_computed ? computed.numbers : *quantity.printed;
  const Theme& theme = page.theme();
  Page drawn;
  drawn.figure.background = theme.panel;
  const float caption = grid.cells.y;
  for (int col = 0; col < grid.n_cols && !computed.cols.empty(); ++col)
    add_text(drawn.figure,
             elided_text(computed.cols[static_cast<std::size_t>(col)], grid.cell_width - 6.0F, Font::sans,
                         page_size::small, page.measure()),
             {grid.cell_width * static_cast<float>(col + 1) - 0.5F * between_numbers, caption - 3.0F},
             theme.quiet, page_size::small, Font::sans, HorizontalAnchor::right, VerticalAnchor::bottom);
  drawn.figure.write(is_computed ? "computed" : "printed", {0.0F, 0.0F}, theme.quiet, page_size::small);
  for (int row = 0; row < grid.n_rows; ++row) {
    for (int col = 0; col < grid.n_cols; ++col) {
      const Box cell = grid.box_of(row, col);
      const bool differs = !computed.differs.empty() && computed.differs[computed.numbers.index(row, col)];
      if (differs)
        add_box(drawn.figure, {cell.x + 2.0F, cell.y + 1.0F, cell.w - 4.0F, cell.h - 2.0F}, theme.accent_soft,
                3.0F);
      const Color color = differs ? theme.warning : is_computed ? theme.text : theme.quiet;
      add_text(drawn.figure, quantity_text(quantity, numbers.at(row, col)),
               {cell.right() - 0.5F * between_numbers, cell.y + 0.5F * cell.h}, color, page_size::control,
               Font::mono, HorizontalAnchor::right);
    }
  }
  drawn.figure.width = grid.cells.w;
  drawn.figure.height = grid.cells.bottom();
  drawn.regions.push_back({grid.cells, QuantityArea{index, grid}});
  return drawn;
}

/// Draws the labels of the rows left of the numbers. Empty if they are not known.
Page drawn_labels(const CellGrid& grid, const ComputedQuantity& computed, const PageBuilder& page) {
  Page drawn;
  if (computed.rows.empty()) return drawn;
  const float caption = grid.cells.y;
  for (int row = 0; row < grid.n_rows; ++row) {
    const std::string text = elided_text(computed.rows[static_cast<std::size_t>(row)], max_label_width,
                                         Font::sans, page_size::control, page.measure());
    add_text(drawn.figure, text, {0.0F, caption + row_of_numbers * (static_cast<float>(row) + 0.5F)},
             page.theme().quiet, page_size::control);
    drawn.figure.width =
        std::max(drawn.figure.width, page.measure()(text, Font::sans, page_size::control).width + 6.0F);
  }
  drawn.figure.width = std::ceil(drawn.figure.width);
  drawn.figure.height = grid.cells.bottom();
  return drawn;
}

/// For example, "The first 12 of 60 rows, and 20 of 32 columns." Empty if everything is shown.
std::string describe_part(const NumberTable& numbers, const CellGrid& grid) {
  const auto part = [](int shown, int n, const char* what) {
    return "the first " + std::to_string(shown) + " of " + std::to_string(n) + what;
  };
  const bool rows = grid.n_rows < numbers.rows;
  const bool cols = grid.n_cols < numbers.cols;
  if (!rows && !cols) return {};
  return "Shown: " + (rows ? part(grid.n_rows, numbers.rows, " rows") : "") + (rows && cols ? ", " : "") +
         (cols ? part(grid.n_cols, numbers.cols, " columns") : "") + ".";
}

/// Adds the printed numbers of a quantity beside the computed ones, or above them in a narrow space. `index`
/// is the position of the quantity in its example.
void add_quantity_table(PageBuilder& page, const Quantity& quantity, const ComputedQuantity& computed,
                        std::size_t index) {
  const CellGrid grid = grid_of(quantity, computed, page);
  const Page of_computed = drawn_block(true, grid, quantity, computed, index, page);
  const Page labels = drawn_labels(grid, computed, page);
  const float left = labels.figure.width;
  const float top = page.y();
  append(page.page(), labels, 0.0F, top);
  float x = left;
  if (quantity.printed) {
    const Page of_printed = drawn_block(false, grid, quantity, computed, index, page);
    const bool side_by_side = left + 2.0F * grid.cells.w + between_blocks <= page.width();
    append(page.page(), of_printed, left, top);
    if (side_by_side) {
      x += grid.cells.w + between_blocks;
    } else {
      page.space(of_printed.figure.height + 6.0F);
      append(page.page(), labels, 0.0F, page.y());
    }
  }
  page.add(of_computed, x);
  page.paragraph(describe_part(computed.numbers, grid));
}

Slices<ComputedExample> compute_named_example(const std::string& name) {
  return compute_example(*worked_example(name));
}

const Result<ComputedExample>* result_of_example(const PageInputs& in, PageTools& tools) {
  return tools.find(Asked<compute_named_example, Lifetime::session>{{shown_example(in.session).name}});
}

bool is_single(const ComputedQuantity& computed) {
  return computed.problem.empty() && computed.numbers.values.size() == 1;
}

/// The columns of quantities that have one number each: the numbers stand below each other by their points.
struct SingleColumns {
  float title = 0.0F;
  bool has_printed = false;
  int n_before = 0, n_behind = 0;  ///< The greatest number of letters before the point, and from it on.

  void widen(const std::string& number) {
    const auto [before, behind] = letters_of(number);
    n_before = std::max(n_before, before);
    n_behind = std::max(n_behind, behind);
  }
  /// The number after a word. Without a number, as many spaces.
  std::string aligned(std::string word, const std::string& number) const {
    const auto [before, behind] = letters_of(number);
    if (number.empty()) word.assign(word.size(), ' ');
    const auto spaces = [](int n) { return std::string(static_cast<std::size_t>(n), ' '); };
    return word + spaces(1 + n_before - before) + number + spaces(n_behind - behind);
  }

 private:
  static std::pair<int, int> letters_of(const std::string& number) {
    const int before = count_code_points(number.substr(0, number.find('.')));
    return {before, count_code_points(number) - before};
  }
};

SingleColumns columns_of(const PageBuilder& page, const WorkedExample& example,
                         const ComputedExample& computed) {
  SingleColumns columns;
  for (std::size_t i = 0; i < example.quantities.size(); ++i) {
    const Quantity& quantity = example.quantities[i];
    if (!is_single(computed[i])) continue;
    const float title = page.measure()(quantity.title, Font::sans_bold, page_size::body).width;
    columns.title = std::max(columns.title, title);
    columns.widen(quantity_text(quantity, computed[i].numbers.at(0, 0)));
    if (!quantity.printed) continue;
    columns.has_printed = true;
    columns.widen(quantity_text(quantity, quantity.printed->at(0, 0)));
  }
  return columns;
}

void add_quantity(PageBuilder& page, const WorkedExample& example, const ComputedExample& computed,
                  const SingleColumns& columns, std::size_t index) {
  const Quantity& quantity = example.quantities[index];
  const ComputedQuantity& of_it = computed[index];
  const Verdict said = verdict(quantity, of_it);
  const bool is_well = said == Verdict::agrees || said == Verdict::unprinted;
  const Theme& theme = page.theme();
  const bool has_table = !is_single(of_it);
  std::string printed, number;
  if (!has_table) {
    const std::string text = quantity.printed ? quantity_text(quantity, quantity.printed->at(0, 0)) : "";
    if (columns.has_printed) printed = columns.aligned("printed", text);
    number = columns.aligned("computed", quantity_text(quantity, of_it.numbers.at(0, 0)));
  } else {
    page.space(page_size::spacing);
  }
  const float top = page.y();
  PageWord title = page.bold(quantity.title);
  if (!has_table) title.least_width = columns.title;
  page.line({title,
             {printed, Font::mono, page_size::control, is_well ? theme.quiet : theme.warning},
             {number, Font::mono, page_size::control, theme.text},
             {place_of_quantity(example, quantity), Font::mono, page_size::small, page.theme().quiet},
             {verdict_text(quantity, of_it), Font::sans, page_size::small,
              is_well ? page.theme().quiet : page.theme().warning}},
            12.0F);
  if (example.opens())
    page.page().regions.push_back({{0.0F, top, page.width(), page.y() - top}, QuantityArea{index, {}}});
  if (!of_it.problem.empty()) return page.notice("Not computed: " + of_it.problem + ".");
  if (has_table) add_quantity_table(page, quantity, of_it, index);
  page.notice(quantity.reason);
}

}  // namespace

const WorkedExample& shown_example(const Session& session) {
  const WorkedExample* named = worked_example(session.textbook);
  return named == nullptr ? worked_examples().front() : *named;
}

const ComputedExample* computed_example(const PageInputs& in, PageTools& tools) {
  const auto* found = result_of_example(in, tools);
  return found == nullptr || !*found ? nullptr : &**found;
}

Page textbooks_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const WorkedExample& example = shown_example(in.session);
  PageBuilder page(in, tools, size.width);
  page.line({page.bold(example.heading, page_size::title)});
  page.paragraph(source_text(example));
  const std::string& name = in.session.textbook;
  if (!name.empty() && name != example.name)
    page.notice("There is no example “" + name + "”; this is the first one.");
  page.prose(example.shows, page.theme().text);
  if (!example.note.empty()) page.prose(example.note, page.theme().quiet);
  if (!example.impossible.empty()) {
    page.notice(example.impossible);
    return page.take();
  }
  const auto* found = result_of_example(in, tools);
  if (found == nullptr) return page.instead("Computing…");
  if (!*found) {
    page.notice("Not computed: " + found->error().message + ".");
    return page.take();
  }
  page.line({page.bold(agreement_text(example, **found))});
  const SingleColumns columns = columns_of(page, example, **found);
  for (std::size_t i = 0; i < example.quantities.size(); ++i)
    add_quantity(page, example, **found, columns, i);
  if (!example.left_out.empty()) page.section("Left out");
  for (const OmittedPart& each : example.left_out) page.paragraph(each.name + ": " + each.why);
  return page.take();
}

}  // namespace headscope
