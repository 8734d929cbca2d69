#include "core/page/tiled_softmax/tile_outputs.h"

#include <string>
#include <vector>

#include "core/page/parts/page_text.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

constexpr float between_outputs = 24.0F;

/// Rows of the block's outputs. Their colours span the numbers of `range`.
HeatmapSpec rows_spec(const PageInputs& in, const TilePlace& at, const OwnedMatrix& numbers,
                      const OwnedMatrix& range) {
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  const StageId output = in.at(StageKind::output);
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(numbers.rows));
  for (int row = 0; row < numbers.rows; ++row)
    names.push_back(in.trace->label(output, info(output.kind).rows, at.first_query + row));
  spec.row_labels = names;
  spec.col_labels = {numbers.cols, [](int col) { return std::to_string(col); }};
  PictureOptions options = in.session.picture;
  options.range = RangeMode::map;
  constexpr bool is_signed = true;
  spec.scale = ColorScale(options, is_signed, range.view());
  spec.color_bar_label = false;
  if (!in.session.picture.details) spec.notation = CellNotation::rounded;
  spec.font_size = 11.0F;
  return spec;
}

/// The matrix [R, V] of a function of row and dimension.
template <class NumberAt>
OwnedMatrix matrix_of(const OnlineSoftmax& kept, const NumberAt& number_at) {
  OwnedMatrix numbers(kept.rows(), kept.width);
  for (int row = 0; row < kept.rows(); ++row) {
    for (int v = 0; v < kept.width; ++v) numbers.at(row, v) = static_cast<float>(number_at(row, v));
  }
  return numbers;
}

}  // namespace

Page tile_outputs(const PageInputs& in, PageTools& tools, const TileOfHead& shown, const TilePlace& at,
                  const TileState& state, float width) {
  PageText page(in, tools, width);
  constexpr float most_height = 170.0F;
  const float each = (page.width() - between_outputs) / 2.0F;
  const OnlineSoftmax& kept = state.kept;
  const auto at_once = [&](int row, int v) {
    return state.at_once[static_cast<std::size_t>(row) * static_cast<std::size_t>(kept.width) +
                         static_cast<std::size_t>(v)];
  };
  const auto table = [&](bool is_whole, const char* slot, const char* title, const char* said) {
    PageText part(in, tools, each);
    part.line({{title, Font::sans_bold, page_size::body, part.theme().text},
               {said, Font::sans, page_size::small, part.theme().quiet}},
              8.0F);
    TableSpec spec;
    spec.trace = in.trace;
    spec.name = path(shown.head.scores) + " " + std::to_string(shown.head.queries) + " " +
                std::to_string(shown.head.keys) + " " + std::to_string(shown.tile);
    spec.picture = in.session.picture;
    spec.max_cell = 34.0F;
    const auto make = [&](OwnedMatrix& numbers) {
      const OwnedMatrix whole = matrix_of(kept, at_once);
      numbers = is_whole ? whole : matrix_of(kept, [&](int row, int v) { return kept.normalised(row, v); });
      return rows_spec(in, at, numbers, whole);
    };
    part.add(table_page(tools, slot, spec, make, each, most_height));
    return part.take();
  };
  Page both = table(false, "tiles now", "O / l", "the output so far");
  append(both, table(true, "tiles whole", "Plain softmax", "over all keys at once"), each + between_outputs,
         0.0F);
  page.add(both);
  page.paragraph(
      "Greatest difference between the two: " + number_text(difference_from_softmax(state), 2) +
          ". After the last tile in a row of tiles, only rounding is left (both in double precision).",
      page.theme().text);
  return page.take();
}

}  // namespace headscope
