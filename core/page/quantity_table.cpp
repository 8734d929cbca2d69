#include "core/page/quantity_table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace headscope {
namespace {

constexpr float row_of_numbers = 17.0F;
constexpr float between_numbers = 14.0F;
constexpr float between_blocks = 36.0F;
constexpr int most_rows = 12;
constexpr int most_columns = 20;

/// One matrix of numbers, and how it stands.
struct Block {
  std::string_view caption;
  const NumberTable& numbers;
  bool is_computed = false;  ///< the others are quieter
};

/// Sizes that both matrices of a quantity share.
struct BlockSizes {
  int rows = 0, cols = 0;  ///< that are shown
  float column = 0.0F;     ///< width
  float width() const { return column * static_cast<float>(cols); }
};

BlockSizes sizes_of(const Quantity& quantity, const NumberTable& numbers, const PageText& page) {
  BlockSizes sizes{std::min(numbers.rows, most_rows), std::min(numbers.cols, most_columns), 0.0F};
  const auto widen = [&](const NumberTable& table) {
    for (int row = 0; row < std::min(sizes.rows, table.rows); ++row) {
      for (int col = 0; col < std::min(sizes.cols, table.cols); ++col) {
        const std::string text = quantity_text(quantity, table.at(row, col));
        sizes.column = std::max(sizes.column,
                                page.measure()(text, Font::mono, page_size::control).width + between_numbers);
      }
    }
  };
  widen(numbers);
  if (quantity.printed) widen(*quantity.printed);
  sizes.column = std::ceil(std::max(sizes.column, 1.0F));
  sizes.cols = std::clamp(static_cast<int>(page.width() / sizes.column), 1, sizes.cols);
  return sizes;
}

Page drawn_block(const Block& block, const BlockSizes& sizes, const Quantity& quantity,
                 const ComputedQuantity& computed, std::size_t index, const PageText& page) {
  const Theme& theme = page.theme();
  Page drawn;
  drawn.figure.background = theme.panel;
  const float caption = std::ceil(page.measure()("X", Font::sans, page_size::small).height) + 3.0F;
  drawn.figure.items.emplace_back(
      Label{std::string(block.caption), {0.0F, 0.0F}, theme.quiet, page_size::small, Font::sans});
  const Box cells{0.0F, caption, sizes.width(), row_of_numbers * static_cast<float>(sizes.rows)};
  for (int row = 0; row < sizes.rows; ++row) {
    for (int col = 0; col < sizes.cols; ++col) {
      const Box cell{sizes.column * static_cast<float>(col),
                     caption + row_of_numbers * static_cast<float>(row), sizes.column, row_of_numbers};
      const bool differs = !computed.differs.empty() && computed.differs[computed.numbers.index(row, col)];
      if (differs)
        drawn.figure.items.emplace_back(FilledRect{
            {cell.x + 2.0F, cell.y + 1.0F, cell.w - 4.0F, cell.h - 2.0F}, theme.accent_soft, 3.0F});
      Label number{quantity_text(quantity, block.numbers.at(row, col)),
                   {cell.right() - 0.5F * between_numbers, cell.y + 0.5F * cell.h},
                   differs             ? theme.warning
                   : block.is_computed ? theme.text
                                       : theme.quiet,
                   page_size::control,
                   Font::mono};
      number.horizontal = HorizontalAnchor::right;
      number.vertical = VerticalAnchor::middle;
      drawn.figure.items.emplace_back(std::move(number));
    }
  }
  drawn.figure.width = sizes.width();
  drawn.figure.height = cells.bottom();
  drawn.regions.push_back(
      {cells, QuantityArea{index, {cells, sizes.column, row_of_numbers, 0, sizes.rows, 0, sizes.cols}}});
  return drawn;
}

/// "The first 12 of 60 rows, and 20 of 32 columns."; empty where all are shown.
std::string said_of_part(const NumberTable& numbers, const BlockSizes& sizes) {
  const auto part = [](int shown, int n, const char* what) {
    return "the first " + std::to_string(shown) + " of " + std::to_string(n) + what;
  };
  const bool rows = sizes.rows < numbers.rows;
  const bool cols = sizes.cols < numbers.cols;
  if (!rows && !cols) return {};
  std::string said = "Shown: ";
  if (rows) said += part(sizes.rows, numbers.rows, " rows");
  if (rows && cols) said += ", ";
  if (cols) said += part(sizes.cols, numbers.cols, " columns");
  return said + ".";
}

}  // namespace

void add_quantity_table(PageText& page, const Quantity& quantity, const ComputedQuantity& computed,
                        std::size_t index) {
  const BlockSizes sizes = sizes_of(quantity, computed.numbers, page);
  const Block right{"computed", computed.numbers, true};
  const Page of_computed = drawn_block(right, sizes, quantity, computed, index, page);
  const float top = page.y();
  float x = 0.0F;
  if (quantity.printed) {
    const Page of_printed =
        drawn_block({"printed", *quantity.printed, false}, sizes, quantity, computed, index, page);
    const bool side_by_side = 2.0F * sizes.width() + between_blocks <= page.width();
    append(page.page(), of_printed, 0.0F, top);
    x = side_by_side ? sizes.width() + between_blocks : 0.0F;
    if (!side_by_side) page.space(of_printed.figure.height + 6.0F);
  }
  page.add(of_computed, x);
  if (const std::string part = said_of_part(computed.numbers, sizes); !part.empty()) page.paragraph(part);
}

}  // namespace headscope
