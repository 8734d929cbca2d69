#include <algorithm>
#include <array>
#include <cmath>

#include "core/figure/text_fit.h"
#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/page/pages.h"
#include "core/page/parts/page_builder.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

constexpr float between_outputs = 24.0F;

/// The matrix [R, V] of a function of row and dimension.
template <class NumberAt>
OwnedMatrix matrix_of(const OnlineSoftmax& kept, const NumberAt& number_at) {
  OwnedMatrix numbers(kept.rows(), kept.width);
  for (int row = 0; row < kept.rows(); ++row) {
    for (int v = 0; v < kept.width; ++v) numbers.at(row, v) = static_cast<float>(number_at(row, v));
  }
  return numbers;
}

/// The output of a block of queries after a tile, O / ℓ, beside that of softmax over whole rows.
void add_tile_outputs(const PageInputs& in, PageTools& tools, const TiledHead& head, int tile,
                      const StageWindow& at, const TileState& state, PageBuilder& page) {
  constexpr float max_height = 170.0F;
  const float each = (page.width() - between_outputs) / 2.0F;
  const OnlineSoftmax& kept = state.kept;
  const auto at_once = [&](int row, int v) {
    return state.at_once[static_cast<std::size_t>(row) * static_cast<std::size_t>(kept.width) +
                         static_cast<std::size_t>(v)];
  };
  const auto table = [&](bool is_whole, const char* slot, const char* title, const char* said) {
    PageBuilder part(in, tools, each);
    part.line({part.bold(title), part.muted(said)}, 8.0F);
    const TableSpec spec = table_of_pass(in,
                                         path(head.scores) + " " + std::to_string(head.queries) + " " +
                                             std::to_string(head.keys) + " " + std::to_string(tile),
                                         34.0F);
    const auto make = [&](OwnedMatrix& numbers) {
      const OwnedMatrix whole = matrix_of(kept, at_once);
      numbers =
          is_whole ? whole : matrix_of(kept, [&](int row, int v) { return kept.normalized_output(row, v); });
      const StageId output = in.at(StageKind::output);
      std::vector<std::string> names;
      for (int row = 0; row < numbers.rows; ++row)
        names.push_back(in.trace->label(output, info(output.kind).rows, at.first_row + row));
      constexpr bool is_signed = true;
      return small_table(in.session.picture, numbers, std::move(names),
                         {numbers.cols, [](int col) { return std::to_string(col); }}, is_signed, whole);
    };
    part.add(table_page(tools, slot, spec, make, each, max_height));
    return part.take();
  };
  Page both = table(false, "tiles now", "O / ℓ", "the output so far");
  append(both, table(true, "tiles whole", "Plain softmax", "over all keys at once"), each + between_outputs,
         0.0F);
  page.add(both);
  page.paragraph(
      "Largest difference between the two: " + number_text(difference_from_softmax(state), 2) +
          ". After the last tile in a row of tiles, only rounding is left (both in double precision).",
      page.theme().text);
}

constexpr const char* map_slot = "tiles";
constexpr float gap = 24.0F;
/// Up to this number of multiplications, the work is done at once instead of on another thread.
constexpr double few = 4e6;

/// Why the head's softmax cannot be computed tile by tile. Empty if it can.
std::string reason_against(const PageInputs& in) {
  if (!in.trace->has(in.at(StageKind::masked))) return "This pass has no scores of its own here.";
  if (in.trace->architecture().linear_attention)
    return "Linear attention has no softmax whose largest score and sum the tiles would have to keep: its sums over keys can be computed in any order. The page “How does a model write?” shows them.";
  if (in.trace->options().softmax == SoftmaxAxis::queries)
    return "The softmax runs over queries here, so no row of the map can be processed on its own. Choose softmax over keys.";
  return {};
}

/// What the pass does to the head after its softmax, which the tiles leave out. May be empty.
std::string left_out_here(const PageInputs& in) {
  const PassEdits* edits = in.trace->edits();
  const HeadEdits* head = edits == nullptr ? nullptr : edits->of(head_of(in.at(StageKind::weights)));
  const bool is_changed = head != nullptr && (head->changes_weights() || head->scale != 1.0F);
  if (!is_changed && !in.trace->options().has_dropout()) return {};
  const char* what = !is_changed                         ? "Dropout acts"
                     : in.trace->options().has_dropout() ? "Interventions and dropout act"
                                                         : "Interventions act";
  return std::string(what) + " on this head after its softmax, which is not shown here.";
}

int shown_tile(const PageInputs& in, const ScoreTiles& grid) {
  return std::clamp(in.session.tiles.step, 1, std::max(grid.n_tiles(), 1)) - 1;
}

const Result<ScoreTiles>* grid_of_head(const TiledHead& head, PageTools& tools) {
  const Extent extent = head.trace->extent(head.scores);
  return tools.find(Asked<score_tiles, Lifetime::view>{{head}},
                    static_cast<double>(extent.rows) * extent.cols <= few);
}

const Result<TileState>* state_of_tile(const TiledHead& head, int tile, PageTools& tools) {
  const Extent extent = head.trace->extent(head.scores);
  const int width = head.trace->extent(with_kind(head.scores, StageKind::value)).cols;
  const double products = 2.0 * head.queries * extent.cols * width;
  // For a long text, the pass may have to compute the scores again to read them.
  const double cells = 4.0 * extent.rows * extent.cols;
  return tools.find(Asked<tile_state, Lifetime::view>{{head, tile}}, std::max(products, cells) <= few);
}

/// "queries 4–7".
std::string range_text(const char* what, int first, int n) {
  const std::string begin = std::string(what) + " " + std::to_string(first);
  return n == 1 ? begin : begin + "–" + std::to_string(first + n - 1);
}

/// Veils the cells that have not been processed yet, and frames the current tile.
void mark_tile(Page& map, const StageWindow& at, const Theme& theme) {
  const CellGrid* cells = cells_in(map, map_slot);
  if (cells == nullptr) return;
  const CellGrid grid = *cells;
  const auto x = [&](int key) { return grid.cells.x + static_cast<float>(key) * grid.cell_width; };
  const auto y = [&](int query) { return grid.cells.y + static_cast<float>(query) * grid.cell_height; };
  const float top = y(at.first_row);
  const float bottom = y(at.first_row + at.n_rows);
  const float left = x(at.first_col);
  const float right = x(at.first_col + at.n_cols);
  Color veil = theme.panel;
  veil.a = 200;
  for (const Box& rest : {Box{right, top, grid.cells.right() - right, bottom - top},
                          Box{grid.cells.x, bottom, grid.cells.w, grid.cells.bottom() - bottom}}) {
    std::erase_if(map.figure.items, [&](const Item& item) {
      const auto* label = std::get_if<Label>(&item);
      return label != nullptr && rest.contains(label->at);
    });
    add_box(map.figure, rest, veil);
  }
  add_frame(map.figure, {left, top, right - left, bottom - top}, theme.accent, 2.0F);
}

Page scores_part(const PageInputs& in, PageTools& tools, const StageWindow& at, float width, float height) {
  PageBuilder page(in, tools, width);
  const StageId scores = in.at(StageKind::masked);
  page.line({page.bold("Scores"), page.muted("after scale and mask; faint tiles are still to come")}, 8.0F);
  const MapLook look{.color_bar_label = false, .present = true, .font_size = 11.0F};
  Page map = map_page(in, tools, map_slot, scores, width, std::max(height - page.y(), 120.0F), look);
  mark_tile(map, at, page.theme());
  page.add(map);
  return page.take();
}

/// The numbers kept for each query, in one row each: m, the factor of the last tile, and l.
Page kept_part(const PageInputs& in, PageTools& tools, const StageWindow& at, const OnlineSoftmax& kept,
               float width) {
  PageBuilder page(in, tools, width);
  page.line({page.bold("Kept for each query")});
  const StageId scores = in.at(StageKind::masked);
  const std::array<float, 3> ends{0.52F * width, 0.76F * width, width};
  const auto write = [&](const std::array<std::string, 3>& texts, const std::string& name, Font font,
                         Color color) {
    const float y = page.y();
    Figure& figure = page.figure();
    const float room = ends[0] - 8.0F - tools.measure(texts[0], font, page_size::control).width;
    figure.write(elided_text(name, room, Font::sans, page_size::control, tools.measure), {0.0F, y}, color,
                 page_size::control);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      figure.write(texts[i], {ends[i], y}, color, page_size::control, font, HorizontalAnchor::right);
    }
    page.space(page_size::control + 8.0F);
  };
  write({"m, largest", "× last", "ℓ, sum"}, "", Font::sans, page.theme().quiet);
  constexpr int most_rows = 16;
  for (int row = 0; row < std::min(kept.rows(), most_rows); ++row) {
    const auto r = static_cast<std::size_t>(row);
    const bool has_seen = std::isfinite(kept.maximum[r]);
    constexpr int decimals = 3;
    write({has_seen ? decimals_text(kept.maximum[r], decimals) : "−∞", rounded_text(kept.rescaled[r]),
           decimals_text(kept.sum[r], decimals)},
          in.trace->label(scores, info(scores.kind).rows, at.first_row + row), Font::mono, page.theme().text);
  }
  if (kept.rows() > most_rows)
    page.paragraph("… and " + std::to_string(kept.rows() - most_rows) + " more queries.");
  page.paragraph(
      "m′ = max(m, tile). What was kept is multiplied by exp(m − m′), shown in the column “× last”; then each key of the tile adds p = exp(score − m′) to ℓ and p · value to O. The output is O / ℓ.");
  if (in.trace->has(in.at(StageKind::sink)))
    page.paragraph("The head has a sink: before any key is seen, m starts as the sink's score and ℓ as 1.");
  return page.take();
}

std::string bytes_of(std::int64_t numbers) {
  constexpr std::int64_t bytes_of_float = 4;
  return grouped(numbers * bytes_of_float) + " bytes";
}

AttentionSizes sizes_of(const TiledHead& head) {
  const Extent extent = head.trace->extent(head.scores);
  return {extent.rows, extent.cols, head.trace->extent(with_kind(head.scores, StageKind::query)).cols,
          head.trace->extent(with_kind(head.scores, StageKind::value)).cols};
}

void traffic_part(const TiledHead& head, const ScoreTiles& grid, PageBuilder& page) {
  const AttentionSizes sizes = sizes_of(head);
  const Traffic plain = naive_traffic(sizes);
  const Traffic tiled = tiled_traffic(sizes, grid.n_keys_read);
  page.section("Memory read and written in float32, if nothing stays in fast memory between steps");
  const auto both = [](const Traffic& traffic) {
    return bytes_of(traffic.total()) + " = " + bytes_of(traffic.read) + " read + " +
           bytes_of(traffic.written) + " written";
  };
  page.row("plain: scores, softmax and output in turn", both(plain));
  page.row("in these tiles", both(tiled), tiled.total() < plain.total());
  if (tiled.total() >= plain.total())
    page.paragraph(
        "With so few queries to a tile, keys and values are read again so often that this costs more than it saves. With more queries to a tile, less is read.");
  page.row("kept in fast memory for a tile",
           bytes_of(tile_footprint(sizes, std::min<std::int64_t>(head.queries, sizes.queries),
                                   std::min<std::int64_t>(head.keys, sizes.keys))));
  if (grid.n_hidden > 0) {
    page.paragraph("The mask hides all of " + grouped(grid.n_hidden) + " of the " + grouped(grid.n_tiles()) +
                   " tiles: they are left out, and their keys are not read.");
  }
}

}  // namespace

TiledHead tiled_head_of(const PageInputs& in) {
  const StageId scores = in.at(StageKind::masked);
  const Extent extent = in.trace->has(scores) ? in.trace->extent(scores) : Extent{};
  const TilesOptions& cut = in.session.tiles;
  return {in.trace, scores, std::clamp(cut.queries, 1, std::max(extent.rows, 1)),
          std::clamp(cut.keys, 1, std::max(extent.cols, 1))};
}

int n_tiles_of(const PageInputs& in) {
  if (!reason_against(in).empty()) return 0;
  return tile_counts(tiled_head_of(in)).n_tiles();
}

Headline tiled_softmax_headline(const PageInputs& in, PageTools& /*tools*/) {
  if (!reason_against(in).empty()) return {};
  const TiledHead head = tiled_head_of(in);
  const AttentionSizes sizes = sizes_of(head);
  return {"",
          {"Tile by tile: " + grouped(std::int64_t{head.queries} * head.keys) + " of " +
               grouped(sizes.queries * sizes.keys) + " scores at a time, never the whole map.",
           "A tile takes " + bytes_of(tile_footprint(sizes, head.queries, head.keys)) + " of fast memory."}};
}

Page tiled_softmax_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  page.line({page.muted(place_text(*in.trace, in.at(StageKind::masked))),
             guess_word(*in.trace, in.at(StageKind::masked), page.theme())},
            12.0F);
  if (const std::string reason = reason_against(in); !reason.empty()) return page.instead(reason);
  page.explain(
      "FlashAttention (Dao et al. 2022) never keeps a whole map of weights. It processes the scores a tile at a time and keeps for each query only the largest score m, the sum ℓ and the output O so far (online softmax, Milakov and Gimelshein 2018).");
  page.notice(left_out_here(in));
  const TiledHead head = tiled_head_of(in);
  const auto* grid = grid_of_head(head, tools);
  if (grid == nullptr || !*grid) return page.instead(grid == nullptr ? "Computing…" : grid->error().message);
  const int tile = shown_tile(in, **grid);
  const StageWindow at = tile_bounds(head, **grid, tile);
  const std::string hidden = (*grid)->hidden[static_cast<std::size_t>(tile)]
                                 ? ". The mask hides all of it: nothing is read, nothing changes"
                                 : "";
  page.line({{"Tile " + grouped(tile + 1) + " of " + grouped((*grid)->n_tiles()) + ": " +
                  range_text("queries", at.first_row, at.n_rows) + ", " +
                  range_text("keys", at.first_col, at.n_cols) + hidden,
              Font::sans_bold, page_size::body, page.theme().accent}});
  const auto* state = state_of_tile(head, tile, tools);
  const bool beside = size.width >= 640.0F;
  const float right = beside ? std::clamp(size.width * 0.36F, 260.0F, 380.0F) : size.width;
  const float left = beside ? size.width - right - gap : size.width;
  const float height = std::clamp(size.height - page.y() - 210.0F, 380.0F, 640.0F);
  Page upper = scores_part(in, tools, at, left, height);
  const bool is_known = state != nullptr && *state;
  if (is_known) {
    append_beside(upper, kept_part(in, tools, at, (*state)->kept, right), beside, left + gap,
                  page_size::spacing);
  }
  page.add(upper);
  page.space(page_size::spacing);
  if (is_known) {
    add_tile_outputs(in, tools, head, tile, at, **state, page);
  } else {
    page.paragraph(state == nullptr ? "Computing…" : state->error().message);
  }
  traffic_part(head, **grid, page);
  return page.take();
}

PageNumbers tiled_softmax_numbers(const PageInputs& in, PageTools& tools) {
  if (std::string reason = reason_against(in); !reason.empty()) return failure(std::move(reason));
  const TiledHead head = tiled_head_of(in);
  const auto* found = grid_of_head(head, tools);
  if (!*found) return tl::unexpected(found->error());
  const ScoreTiles& grid = **found;
  const int tile = shown_tile(in, grid);
  const auto* state = state_of_tile(head, tile, tools);
  if (!*state) return tl::unexpected(state->error());
  DataTable tiles{"tiles",
                  {"tile", "first_query", "queries", "first_key", "keys", "is_hidden", "is_current"}};
  for (int i = 0; i < grid.n_tiles(); ++i) {
    const StageWindow place = tile_bounds(head, grid, i);
    tiles.rows.push_back({i + 1, place.first_row, place.n_rows, place.first_col, place.n_cols,
                          grid.hidden[static_cast<std::size_t>(i)], i == tile});
  }
  const StageWindow at = tile_bounds(head, grid, tile);
  const OnlineSoftmax& kept = (*state)->kept;
  DataTable for_query{"kept", {"query", "token", "m", "last_factor", "l"}};
  DataTable output{"output", {"query", "token", "dimension", "o_divided_by_l", "plain_softmax"}};
  for (int row = 0; row < kept.rows(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    const int query = at.first_row + row;
    const std::string token = in.trace->full_label(head.scores, Axis::query_tokens, query);
    for_query.rows.push_back({query, token, kept.maximum[r], kept.rescaled[r], kept.sum[r]});
    for (int v = 0; v < kept.width; ++v) {
      const std::size_t place = r * static_cast<std::size_t>(kept.width) + static_cast<std::size_t>(v);
      output.rows.push_back({query, token, v, kept.normalized_output(row, v), (*state)->at_once[place]});
    }
  }
  const AttentionSizes sizes = sizes_of(head);
  DataTable traffic{"traffic", {"method", "numbers_read", "numbers_written"}};
  const Traffic plain = naive_traffic(sizes);
  const Traffic tiled = tiled_traffic(sizes, grid.n_keys_read);
  traffic.rows = {{std::string("plain"), plain.read, plain.written},
                  {std::string("tiled"), tiled.read, tiled.written}};
  return std::vector<DataTable>{std::move(tiles), std::move(for_query), std::move(output),
                                std::move(traffic)};
}

}  // namespace headscope
