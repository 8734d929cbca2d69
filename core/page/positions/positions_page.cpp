#include "core/page/positions/positions_page.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/figure/column_groups.h"
#include "core/model/positions.h"
#include "core/page/parts/page_text.h"
#include "core/page/positions/positions_about.h"
#include "core/trace/patch_stage.h"
#include "core/trace/place_text.h"
#include "core/trace/wiring.h"

namespace headscope {
namespace {

constexpr float group_size = 11.0F;
constexpr float between_position_columns = 24.0F;
constexpr std::string_view slot_prefix = "positions ";

void part_heading(PageText& page, const std::string& title, const std::string& detail) {
  page.line({{title, Font::sans_bold, page_size::body, page.theme().text},
             {detail, Font::sans, page_size::small, page.theme().quiet}},
            12.0F);
}

bool reads_table(const PositionSource& source) {
  const Positions kind = source.architecture.positions;
  return kind == Positions::learned || kind == Positions::relative;
}

std::string name_of(const PositionSource& source) {
  const Architecture& a = source.architecture;
  std::string name = std::to_string(static_cast<int>(a.positions));
  for (const int size : {source.n_positions, source.width, a.head_width(), a.n_heads}) {
    name += " " + std::to_string(size);
  }
  const Rotary& rotary = a.rotary;
  for (const int part :
       {static_cast<int>(rotary.pairing), static_cast<int>(rotary.scaling), rotary.original_length,
        a.relative_buckets.value_or(0), static_cast<int>(source.stack), a.kv_latent ? 1 : 0})
    name += " " + std::to_string(part);
  for (const float part : {rotary.base, rotary.fraction, rotary.factor})
    name += " " + std::to_string(std::bit_cast<std::uint32_t>(part));
  return name;
}

Page picture_page(const PageInputs& in, PageTools& tools, PositionPicture picture, float width,
                  float height) {
  const PositionSource source = shown_positions(in);
  const PictureOptions& options = in.session.picture;
  const auto groups =
      picture == PositionPicture::rows ? position_groups(source, options) : std::vector<ColumnGroup>{};
  TableSpec table;
  table.name = name_of(source);
  if (reads_table(source)) table.trace = in.trace;
  table.picture = options;
  table.max_cell = 32.0F;
  table.above = groups.empty() ? 0.0F : column_groups_height(group_size);
  const auto& token = in.session.selection.token;
  if (picture != PositionPicture::biases && token && *token < source.n_positions) table.marked_row = token;
  if (picture == PositionPicture::products) table.marked_col = table.marked_row;
  const std::string slot = std::string(slot_prefix) + std::to_string(static_cast<int>(picture));
  Page page = table_page(
      tools, slot, table,
      [&](OwnedMatrix& numbers) { return position_map(picture, source, options, numbers); }, width, height);
  if (!groups.empty()) {
    const Figure brackets = draw_column_groups(groups, tools.memo.tables[slot].layout, group_size,
                                               theme_of(options.theme), tools.measure);
    append(page.figure, brackets, 0.0F, 0.0F);
  }
  return page;
}

void turned_pairs(const PageInputs& in, PageTools& tools, float height, PageText& page) {
  struct Part {
    PositionPicture picture;
    const char* title;
  };
  constexpr std::array<Part, 3> parts{{{PositionPicture::angles, "Angles in radians"},
                                       {PositionPicture::cosines, "Their cosines"},
                                       {PositionPicture::sines, "Their sines"}}};
  constexpr float gap = 16.0F;
  const float width = (page.width() - 2.0F * gap) / 3.0F;
  Page line;
  float x = 0.0F;
  for (const Part& part : parts) {
    PageText column(in, tools, width);
    part_heading(column, part.title, "");
    column.add(picture_page(in, tools, part.picture, width, height - column.y()));
    append(line, column.take(), x, 0.0F);
    x += width + gap;
  }
  page.add(line);
}

void large_picture(const PageInputs& in, PageTools& tools, float room, PageText& page) {
  const PositionSource source = shown_positions(in);
  const float height = std::clamp(room * 0.34F, 200.0F, 380.0F);
  const Positions kind = source.architecture.positions;
  if (kind == Positions::rotary) return turned_pairs(in, tools, height, page);
  if (source.architecture.biases_positions()) {
    const bool is_of_stack = source.architecture.has_position_tables_of_stacks();
    part_heading(page, "What each head adds by distance",
                 !is_of_stack                     ? ""
                 : source.stack == Stack::encoder ? "in the encoder, which has a table of its own"
                                                  : "in the decoder, which has a table of its own");
    const float lines = static_cast<float>(source.architecture.n_heads) * 32.0F + 64.0F;
    return page.add(picture_page(in, tools, PositionPicture::biases, page.width(), std::min(height, lines)));
  }
  const int width = has_free_width(kind) ? source.width : source.table.cols;
  part_heading(page,
               std::to_string(source.n_positions) + " positions × " + std::to_string(width) + " dimensions",
               "what is added to a word at each position");
  page.add(picture_page(in, tools, PositionPicture::rows, page.width(), height));
}

MapLook column_look() {
  MapLook look;
  look.max_cell = 32.0F;
  look.font_size = 12.0F;
  return look;
}

/// Shows the stage of the present pass alone, even if the page shows a difference, because the other pass may
/// not have the stage.
MapLook present_look() {
  MapLook look = column_look();
  look.present = true;
  return look;
}

const char* meaning_of_products(Positions kind) {
  switch (kind) {
    case Positions::rotary:
      return "Σ cos(difference of their angles): the product of two equal vectors after the rotations, relative to the product before.";
    case Positions::learned:
      return "The product of their rows. Random rows resemble only themselves.";
    default:
      return "The product of their rows: largest with itself, the same at equal distances.";
  }
}

void similarity(const PageInputs& in, PageTools& tools, float height, PageText& page) {
  const Architecture& a = in.trace->architecture();
  if (a.positions == Positions::none) {
    part_heading(page, "A bag of words", "");
    return page.paragraph(
        "Attention compares words, not places. Without positions and a mask, reordering the words only reorders the rows and columns of every map: no number in them changes.",
        page.theme().text, page_size::body);
  }
  if (a.biases_positions()) {
    StageId bias = in.at(StageKind::position_bias);
    bias.attention = AttentionKind::self;
    part_heading(page, "What " + head_text(in.trace->architecture(), head_of(bias)) + " adds to each score",
                 "");
    page.paragraph("The bias for the distance from query (row) to key (column), whatever the words.");
    return page.add(
        map_page(in, tools, "positions bias", bias, page.width(), height - page.y(), present_look()));
  }
  part_heading(page, "How similar two positions are", "");
  page.paragraph(meaning_of_products(a.positions));
  page.add(picture_page(in, tools, PositionPicture::products, page.width(), height - page.y()));
}

/// The note below the title of the weights.
const char* note_on_weights(const PageInputs& in) {
  if (in.against()) return "Above zero: more in B, which is shown; below zero: more in A.";
  const Architecture& a = in.trace->architecture();
  const bool in_scores = a.positions == Positions::rotary || a.biases_positions();
  if (in_scores && in.session.selection.attention == AttentionKind::cross) {
    return "These positions apply only to self-attention: cross-attention has none.";
  }
  return "What these positions do to the attention of this sentence.";
}

void weights_of_sentence(const PageInputs& in, PageTools& tools, float height, PageText& page) {
  const StageId weights = in.at(StageKind::weights);
  part_heading(page, "Attention weights of " + head_text(in.trace->architecture(), head_of(weights)),
               in.against() ? "B − A" : "");
  page.paragraph(note_on_weights(in));
  page.add(map_page(in, tools, "positions weights", weights, page.width(), height - page.y(), column_look()));
}

void two_columns(const PageInputs& in, PageTools& tools, float room, PageText& page) {
  const bool side_by_side = page.width() > 520.0F;
  const float width = side_by_side ? (page.width() - between_position_columns) / 2.0F : page.width();
  const float height = std::clamp(std::max(room * 0.48F, room - page.y()), 300.0F, 480.0F);
  PageText left(in, tools, width);
  similarity(in, tools, height, left);
  PageText right(in, tools, width);
  weights_of_sentence(in, tools, height, right);
  Page both = left.take();
  if (side_by_side) {
    append(both, right.take(), width + between_position_columns, 0.0F);
    return page.add(both);
  }
  page.add(both);
  page.add(right.take());
}

/// Shows where the positions affect this sentence: the rows that are added, or the queries that are rotated.
void in_this_sentence(const PageInputs& in, PageTools& tools, PageText& page) {
  const Architecture& a = in.trace->architecture();
  const bool turns = a.positions == Positions::rotary;
  if (!turns && !a.adds_positions()) return;
  const StageId stage = in.at(turns ? StageKind::rotated_query : StageKind::positions);
  if (!in.trace->has(stage)) return;
  const Extent values = in.trace->extent(stage);
  const std::string of_head = " of " + head_text(a, head_of(stage));
  part_heading(page, turns ? "Rotated queries" + of_head : "This sentence's own rows", shape_text(values));
  const float lines = static_cast<float>(values.rows) * 22.0F + 56.0F;
  page.add(
      map_page(in, tools, "positions own", stage, page.width(), std::min(lines, 400.0F), present_look()));
}

/// The picture that a table of the page shows. Empty for other tables.
std::optional<PositionPicture> position_picture_of(const std::string& table) {
  constexpr std::array pictures{PositionPicture::rows,  PositionPicture::angles, PositionPicture::cosines,
                                PositionPicture::sines, PositionPicture::biases, PositionPicture::products};
  for (const PositionPicture picture : pictures) {
    if (table == std::string(slot_prefix) + std::to_string(static_cast<int>(picture))) return picture;
  }
  return std::nullopt;
}

/// The stack whose table of relative positions is shown. This is the selected stack if it has such a table;
/// the selection may already belong to a pass that is not there yet.
Stack stack_of_positions(const PageInputs& in) {
  const Architecture& a = in.trace->architecture();
  const Stack selected = in.session.selection.stack;
  return a.has_position_tables_of_stacks() && a.has(selected) ? selected : a.first_stack();
}

StageId table_of_positions(const PageInputs& in) {
  return position_biases_from(*in.trace,
                              {.kind = StageKind::positions_table, .stack = stack_of_positions(in)});
}

/// The corresponding cell of the pass. Empty if the pass does not have it.
std::optional<Pin> cell_of_pass(const PageInputs& in, PositionPicture picture, const PositionSource& source,
                                CellIndex cell) {
  const Positions kind = source.architecture.positions;
  const StageId table = table_of_positions(in);
  if (picture == PositionPicture::biases && kind == Positions::relative) {
    const int distance = cell.col - (source.n_positions - 1);
    return Pin{table, cell.row, relative_column(source.architecture, source.stack, distance)};
  }
  if (picture != PositionPicture::rows) return std::nullopt;
  if (kind == Positions::learned) return Pin{table, cell.row, cell.col};
  const StageId rows = in.at(StageKind::positions);
  const bool same_size = source.width == source.architecture.d_model;
  if (!same_size || cell.row >= in.trace->extent(rows).rows) return std::nullopt;
  return Pin{rows, cell.row, cell.col};
}

}  // namespace

PositionSource shown_positions(const PageInputs& in) {
  PositionSource source{in.trace->architecture(), in.trace->value(table_of_positions(in)), in.n_positions,
                        in.position_width, stack_of_positions(in)};
  if (source.architecture.biases_positions()) ++source.n_positions;
  if (source.architecture.positions == Positions::learned) {
    source.n_positions = std::min(source.n_positions, source.table.rows);
  }
  return source;
}

bool has_free_width(Positions kind) {
  return kind == Positions::sinusoidal || kind == Positions::split;
}

std::optional<PositionCell> position_cell(const PageInputs& in, const PageMemo& memo,
                                          const std::string& table, CellIndex cell) {
  const auto picture = position_picture_of(table);
  const auto panel = memo.tables.find(table);
  if (!picture || panel == memo.tables.end()) return std::nullopt;
  const PositionSource source = shown_positions(in);
  return PositionCell{position_sentence(*picture, source, panel->second.numbers, cell),
                      cell_of_pass(in, *picture, source, cell)};
}

Page positions_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const Positions kind = in.trace->architecture().positions;
  positions_about(page, in.trace->architecture());
  if (kind != Positions::none) large_picture(in, tools, size.height, page);
  two_columns(in, tools, size.height, page);
  in_this_sentence(in, tools, page);
  return page.take();
}

}  // namespace headscope
