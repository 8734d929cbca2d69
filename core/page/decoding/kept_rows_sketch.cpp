#include "core/page/decoding/kept_rows_sketch.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/figure/text_fit.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/page_text.h"

namespace headscope {
namespace {

constexpr float between_grids = 40.0F;
constexpr float beside_word = 10.0F;  ///< Between a row's word and its cells.

/// The first words of the text, without padding, and the word that is still to come.
std::vector<std::string> words_of(const PageInputs& in) {
  constexpr int most = 10;
  const Trace& trace = *in.trace;
  const Architecture& a = trace.architecture();
  const auto& tokens = trace.tokens(a.last_stack());
  const int n_padded = a.has_cross() ? 0 : trace.batch().n_padded;
  const int n = std::min(most, static_cast<int>(tokens.size()) - n_padded);
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(std::max(n, 0)) + 1);
  for (int i = 0; i < n; ++i) words.push_back(shown_word(tokens[static_cast<std::size_t>(i)].text));
  words.emplace_back("next word");
  return words;
}

/// The words, the width of the widest and the side of a cell, which both grids share.
struct Grid {
  std::vector<std::string> words;
  float word_width = 0.0F;
  float cell = 0.0F;
};

/// Draws a row of cells for each word. Computed rows are in the accent colour, kept ones in grey; a cell that
/// the causal mask hides is left out.
void add_cells(const Grid& grid, bool is_causal, PageText& page) {
  constexpr float gap = 2.0F;
  constexpr float rounding = 3.0F;
  const Theme& theme = page.theme();
  std::vector<Item>& items = page.page().figure.items;
  const std::size_t n = grid.words.size();
  for (std::size_t row = 0; row < n; ++row) {
    const float y = page.y() + static_cast<float>(row) * grid.cell;
    const bool is_computed = !is_causal || row + 1 == n;
    items.emplace_back(
        Label{fitted_text(grid.words[row], grid.word_width, Font::sans, page_size::control, page.measure()),
              {grid.word_width, y + 0.5F * (grid.cell - gap)},
              is_computed ? theme.accent : theme.quiet,
              page_size::control,
              Font::sans,
              HorizontalAnchor::right,
              VerticalAnchor::middle});
    for (std::size_t column = 0; column < (is_causal ? row + 1 : n); ++column) {
      const Box box{grid.word_width + beside_word + static_cast<float>(column) * grid.cell, y,
                    grid.cell - gap, grid.cell - gap};
      items.emplace_back(FilledRect{box, is_computed ? theme.accent_soft : theme.control, rounding});
    }
  }
  page.space(static_cast<float>(n) * grid.cell);
}

Page grid_page(const PageInputs& in, const PageTools& tools, const Grid& grid, bool is_causal, float width) {
  PageText page(in, tools, width);
  page.line({{is_causal ? "With the causal mask" : "As it is now", Font::sans_bold, page_size::body,
              page.theme().text}});
  page.paragraph(is_causal ? "Only the new row is computed. The rows above it stay as they are."
                           : "Every row sees the next word, so every row is computed again.",
                 page.theme().text, page_size::body);
  page.space(page_size::spacing);
  add_cells(grid, is_causal, page);
  return page.take();
}

}  // namespace

Page kept_rows_sketch(const PageInputs& in, const PageSize& size, const PageTools& tools) {
  constexpr float least_width = 560.0F;
  constexpr float for_texts = 84.0F;
  constexpr float least_cell = 18.0F;
  constexpr float most_cell = 44.0F;
  const bool beside = size.width >= least_width;
  const float width = beside ? std::floor((size.width - between_grids) / 2.0F) : size.width;
  const float height = (beside ? size.height : size.height / 2.0F) - for_texts;
  Grid grid{words_of(in)};
  for (const std::string& word : grid.words)
    grid.word_width = std::max(grid.word_width, tools.measure(word, Font::sans, page_size::control).width);
  grid.word_width = std::min(std::ceil(grid.word_width), 0.4F * width);
  const auto n = static_cast<float>(grid.words.size());
  const float fits = std::min((width - grid.word_width - beside_word) / n, height / n);
  grid.cell = std::floor(std::clamp(fits, least_cell, most_cell));
  Page both = grid_page(in, tools, grid, false, width);
  append(both, grid_page(in, tools, grid, true, width), beside ? width + between_grids : 0.0F,
         beside ? 0.0F : both.figure.height + between_grids);
  return both;
}

}  // namespace headscope
