#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "core/enum_count.h"
#include "core/figure/column_groups.h"
#include "core/figure/position_map.h"
#include "core/model/architecture.h"
#include "core/model/interventions.h"
#include "core/model/positions.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/page_builder.h"
#include "core/split_text.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

struct About {
  const char* title;
  const char* answer;  ///< How the model knows the order, in a few words.
  const char* formula;
  const char* sentence;
};

constexpr auto abouts = make_enum_table<Positions, About>(
    About{"No positions", "It does not: only the words enter the model.", "X = E",
          "Only the words enter the model, so it cannot tell one order from another."},
    About{
        "Sinusoidal, interleaved",
        "Each position has its own row of sines and cosines, added to the word's row.",
        "P[t, 2i] = sin(t / 10000^(2i/d))   P[t, 2i + 1] = cos(same)",
        "Each pair of dimensions is a sine and a cosine of one wavelength, short on the left and long on the right; a position's row is added to the word's embedding."},
    About{
        "Sinusoidal, split halves",
        "Each position has its own row of sines and cosines, added to the word's row.",
        "P[t, i] = sin(t / 10000^(i/(h − 1)))   P[t, h + i] = cos(same)",
        "The same waves, with all sines in the left half (h = d/2 columns) and all cosines in the right: hence the split down the centre of the well-known picture."},
    About{
        "Learned", "A learned row for the position is added to each word's row.", "P[t] = row t of a table",
        "Every position has its own row of numbers, learned in training. Before training they are random; the table ends at 1024 positions."},
    About{
        "Rotary", "Queries and keys are rotated by an angle that grows with the position.",
        "",  // The formula depends on the kind of rotation.
        "Nothing is added: each pair of numbers in a query or key is rotated by an angle that grows with the position, so that positions enter their product only through their distance."},
    About{
        "Relative", "A learned number for the distance is added to each score.",
        "score[q, k] + b[head, k − q]",
        "Each head adds one learned number per distance between query and key to a score; distances of 16 or more share one number."},
    About{"ALiBi", "Each score is lowered by the distance between the two words.",
          "score[q, k] − m · |k − q|",
          "Each head lowers a score in proportion to the distance, with its own fixed slope m."});

constexpr About of_disentangled{
    "Disentangled", "A learned row for the distance is compared with each query and key.",
    "q · K_P[k − q] + k · Q_P[k − q]",
    "Each distance between query and key has a learned row, which is projected to a query and a key as well; their products with the words' keys and queries are added to the scores."};

const About& about_of(const Architecture& a) {
  return a.foreign.disentangled ? of_disentangled : abouts[index_of(a.positions)];
}

/// For example, "(q[i], q[i + 8]) rotated by t / 500000^(2i/16), and so is k".
std::string rotary_formula(const Architecture& a, int layer) {
  const Rotary rotary = a.rotary_of(layer);
  const int turned = rotated_width(rotary, a.head_width(layer));
  const std::string pair = rotary.pairing == RotaryPairing::halves
                               ? "(q[i], q[i + " + std::to_string(turned / 2) + "])"
                               : "(q[2i], q[2i + 1])";
  const std::string n = rotary.fraction == 1.0F ? "d_head" : std::to_string(turned);
  return pair + " rotated by t / " + number_text(rotary.base) + "^(2i/" + n + "), and so is k";
}

std::string buckets_sentence(int n_buckets) {
  return "Each head adds one of " + std::to_string(n_buckets) +
         " learned numbers to a score: distances between query and key fall into buckets, which grow with the distance up to " +
         std::to_string(max_bucket_distance) +
         ". In an encoder, half of them are for keys before the query; in a decoder, all of them.";
}

/// Describes how scaling changes the angles. Empty without scaling.
std::string scaling_sentence(const Rotary& rotary, bool has_latent) {
  const std::string s = number_text(rotary.factor);
  if (!rotary.divisors.empty()) {
    return "LongRoPE divides the angles of each pair by a number of its own, which came with the model, and lengthens every pair by √(1 + ln " +
           s + " / ln " + std::to_string(rotary.original_length) + ").";
  }
  if (rotary.is_proportional) {
    return "Of the pairs, the first " + number_text(100.0 * static_cast<double>(rotary.fraction)) +
           " % turn; the angle of the others is always 0, so that they compare words whatever their distance.";
  }
  switch (rotary.scaling) {
    case RotaryScaling::none:
      return {};
    case RotaryScaling::linear:
      return "Linear scaling divides every angle by " + s + ", as if the positions lay closer together.";
    case RotaryScaling::ntk:
      return "NTK-aware scaling makes the base larger, so that the slowest pair turns " + s +
             " times as slowly and the fastest as fast as before.";
    case RotaryScaling::yarn:
      return "YaRN divides the angles of pairs that turn less than once in " +
             std::to_string(rotary.original_length) + " positions by " + s +
             ", and keeps those that turn more than 32 times; in between the share grows evenly from pair to pair, as in Hugging Face's models. " +
             (has_latent
                  ? "It multiplies all scores by (0.1 ln " + s +
                        " + 1)², as in DeepSeek-V3: most of a key comes from the latent and does not turn."
                  : "It lengthens every pair by 0.1 ln " + s + " + 1.");
    case RotaryScaling::llama3:
      return "Llama 3's scaling divides the angles of pairs that turn less than once in " +
             std::to_string(rotary.original_length) + " positions by " + s +
             ", and keeps those that turn more than 4 times; in between the share grows with the number of turns.";
  }
  return {};
}

/// Whether positions rotate nothing in the layer, though they do in others.
bool is_unrotated(const Architecture& a, int layer) {
  return a.uses_rotary() && a.rotary_of(layer).fraction == 0.0F;
}

/// What sets the rotation of this layer apart from that of others. Empty if all are alike.
std::string sentence_about_layer(const Architecture& a, int layer) {
  const std::string name = "Layer " + std::to_string(layer);
  if (is_unrotated(a, layer)) return name + " rotates nothing; other layers do.";
  if (const auto n = std::ranges::count(a.foreign.unrotated_layers, true); n > 0)
    return "Layers that rotate nothing: " + std::to_string(n) + " of " + std::to_string(a.n_layers) + ".";
  if (a.rotary.local_base <= 0.0F || !a.sliding_window) return {};
  const bool has_window = a.has_sliding_window(layer);
  return name +
         (has_window ? " has a sliding window. Layers without one"
                     : " has no sliding window. Layers with one") +
         " turn by a base of " + number_text(has_window ? a.rotary.base : a.rotary.local_base) +
         (has_window || a.rotary.scaling == RotaryScaling::none ? "." : ", and their angles are not scaled.");
}

constexpr float group_size = 11.0F;
constexpr float between_position_columns = 24.0F;
constexpr std::string_view slot_prefix = "positions ";

void part_heading(PageBuilder& page, const std::string& title, const std::string& detail) {
  page.line({page.bold(title), page.muted(detail)}, 12.0F);
}

std::string name_of(const PositionSource& source) {
  const Architecture& a = source.architecture;
  std::string name = std::to_string(static_cast<int>(a.positions));
  for (const int size :
       {source.n_positions, source.width, a.head_width(source.layer), a.n_heads, source.layer}) {
    name += " " + std::to_string(size);
  }
  const Rotary rotary = a.rotary_of(source.layer);
  for (const int part :
       {static_cast<int>(rotary.pairing), static_cast<int>(rotary.scaling), rotary.original_length,
        a.relative_buckets.value_or(0), static_cast<int>(source.stack), a.kv_latent ? 1 : 0})
    name += " " + std::to_string(part);
  for (const float part : {rotary.base, rotary.fraction, rotary.factor})
    name += " " + std::to_string(std::bit_cast<std::uint32_t>(part));
  return name;
}

/// The stack whose table of positions is shown. This is the selected stack if the model has it; the selection
/// may already belong to a pass that is not there yet.
Stack stack_of_positions(const PageInputs& in) {
  const Architecture& a = in.trace->architecture();
  const Stack selected = in.session.selection.stack;
  return a.has(selected) ? selected : a.first_stack();
}

int layer_of_positions(const PageInputs& in) {
  const int n_layers = in.trace->architecture().layers_of(stack_of_positions(in));
  return std::min(in.session.selection.layer, std::max(n_layers - 1, 0));
}

StageId table_of_positions(const PageInputs& in) {
  const Architecture& a = in.trace->architecture();
  const Stack stack = stack_of_positions(in);
  return a.has_position_biases() ? bias_table_of(a, stack, layer_of_positions(in)) : row_table_of(a, stack);
}

PositionSource shown_positions(const PageInputs& in) {
  PositionSource source{in.trace->architecture(), in.trace->value(table_of_positions(in)),
                        in.n_positions,           in.position_width,
                        stack_of_positions(in),   layer_of_positions(in)};
  if (source.architecture.has_position_biases()) ++source.n_positions;
  if (source.architecture.positions == Positions::learned)
    source.n_positions = std::min(source.n_positions, source.table.rows);
  return source;
}

Page picture_page(const PageInputs& in, PageTools& tools, PositionPicture picture, float width,
                  float height) {
  const PositionSource source = shown_positions(in);
  const PictureOptions& options = in.session.picture;
  const auto groups =
      picture == PositionPicture::rows ? position_groups(source, options) : std::vector<ColumnGroup>{};
  TableSpec table = table_of_pass(in, name_of(source), 32.0F);
  const Positions kind = source.architecture.positions;
  if (kind != Positions::learned && kind != Positions::relative) table.trace.reset();
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

void turned_pairs(const PageInputs& in, PageTools& tools, float height, PageBuilder& page) {
  constexpr float gap = 16.0F;
  const float width = (page.width() - 2.0F * gap) / 3.0F;
  std::vector<Page> columns;
  for (const auto& [picture, title] : {std::pair(PositionPicture::angles, "Angles in radians"),
                                       std::pair(PositionPicture::cosines, "Their cosines"),
                                       std::pair(PositionPicture::sines, "Their sines")}) {
    PageBuilder column(in, tools, width);
    part_heading(column, title, "");
    column.add(picture_page(in, tools, picture, width, height - column.y()));
    columns.push_back(column.take());
  }
  page.add_rows(columns, columns.size(), width + gap);
}

/// The key of a row that the dials show: the one under the mouse, or else that with the largest weight.
int key_of_dials(const PageInputs& in, const StageId& weights, int query) {
  if (in.hovered && in.hovered->stage == weights && in.hovered->row == query) return in.hovered->col;
  const auto strongest = strongest_key(*in.trace, weights, query);
  return strongest ? strongest->key : 0;
}

constexpr float dial_radius = 30.0F;
constexpr float dial_caption = 16.0F;

/// Two numbers of a query or key that are rotated together.
using Pair = std::array<float, 2>;

/// Draws a dial with the hands of a query and a key, in the scale in which the longest hand of all dials
/// fills it, and the product of both below it. Returns the product.
double draw_dial(Figure& figure, float x, int pair, const Pair& of_query, const Pair& of_key, float longest,
                 const Theme& theme) {
  const Point center{x + dial_radius + 1.0F, dial_radius + dial_caption};
  add_frame(figure, {center.x - dial_radius, center.y - dial_radius, 2.0F * dial_radius, 2.0F * dial_radius},
            theme.line, 1.0F, dial_radius);
  const float scale = longest > 0.0F ? (dial_radius - 2.0F) / longest : 0.0F;
  // Angles grow counter-clockwise, as in textbooks.
  const auto hand = [&](const Pair& to, Color color) {
    add_line(figure, center, {center.x + scale * to[0], center.y - scale * to[1]}, color, 2.5F);
  };
  hand(of_key, theme.data);
  hand(of_query, theme.accent);
  const double product =
      static_cast<double>(of_query[0]) * of_key[0] + static_cast<double>(of_query[1]) * of_key[1];
  const auto label = [&](const std::string& text, float y, Color color, Font font) {
    figure.write(text, {center.x, y}, color, 11.0F, font, HorizontalAnchor::center);
  };
  label(std::to_string(pair), 0.0F, theme.quiet, Font::sans);
  label(rounded_text(product), center.y + dial_radius + 3.0F, theme.text, Font::mono);
  return product;
}

/// Pairs of dimensions of a query and a key as hands of dials, with what each adds to the raw score.
void dials(const PageInputs& in, PageBuilder& page) {
  const Trace& trace = *in.trace;
  const auto at = [&](StageKind kind) {
    StageId id = in.at(kind);
    id.attention = AttentionKind::self;
    return id;
  };
  const StageId weights = at(StageKind::weights);
  const StageId queries = at(StageKind::rotated_query);
  const StageId keys = at(StageKind::rotated_key);
  const std::optional<int> token = in.session.selection.token;
  // The hands would tell the scores of an exercise. With a latent, only some dimensions of a head are rotated
  // and not the first ones.
  if (in.session.cover.stage || trace.architecture().kv_latent || !trace.has(weights) ||
      !trace.has(queries) || !trace.has(keys) || !token || *token >= trace.extent(weights).rows)
    return;
  const int key = key_of_dials(in, weights, *token);
  const StageNumbers query_numbers = trace.read_row(queries, *token);
  const StageNumbers key_numbers = trace.read_row(keys, key);
  const std::span<const float> q = query_numbers.view.row(0);
  const std::span<const float> k = key_numbers.view.row(0);
  const Architecture& a = trace.architecture();
  const RotaryFrequencies turns = rotary_frequencies(a.rotary_of(weights.layer), a.head_width(weights.layer));
  constexpr float step = 84.0F;
  constexpr int max_lines = 2;
  const int in_line = std::max(static_cast<int>((page.width() + step - 2.0F * dial_radius) / step), 1);
  const int n = std::min(turns.n_pairs(), max_lines * in_line);
  const auto pair_in = [&](std::span<const float> numbers, int pair) {
    const auto [x, y] = turns.dimensions(pair);
    return Pair{numbers[static_cast<std::size_t>(x)], numbers[static_cast<std::size_t>(y)]};
  };
  float longest = 0.0F;
  for (int pair = 0; pair < n; ++pair) {
    for (const auto& [x, y] : {pair_in(q, pair), pair_in(k, pair)})
      longest = std::max(longest, std::hypot(x, y));
  }
  const Theme& theme = page.theme();
  const std::string query_word = quoted_word(trace.label(weights, Axis::query_tokens, *token));
  const std::string key_word = quoted_word(trace.label(weights, Axis::key_tokens, key));
  page.line({page.bold("Dials"),
             {"query of " + query_word, Font::sans_bold, page_size::small, theme.accent},
             {"key of " + key_word, Font::sans_bold, page_size::small, theme.data}},
            12.0F);
  page.paragraph(
      "Each pair of dimensions is a vector. Position by position it turns counter-clockwise: the first "
      "pairs quickly, the last hardly at all. Hands that point the same way raise the score; opposite ones lower it.");
  double shown = 0.0;
  for (int first = 0; first < n; first += in_line) {
    Figure line{page.width(), 2.0F * (dial_radius + dial_caption), {0, 0, 0, 0}, {}};
    for (int pair = first; pair < std::min(first + in_line, n); ++pair)
      shown += draw_dial(line, static_cast<float>(pair - first) * step, pair, pair_in(q, pair),
                         pair_in(k, pair), longest, theme);
    page.add(line);
  }
  double all = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) all += static_cast<double>(q[i]) * k[i];
  std::vector<std::string> others;
  if (n < turns.n_pairs())
    others.push_back(count_text(turns.n_pairs() - n, "pair") + " for which there is no room here");
  if (const int n_fixed = static_cast<int>(q.size()) - 2 * turns.n_pairs(); n_fixed > 0)
    others.push_back(count_text(n_fixed, "dimension") + " that do not turn");
  page.paragraph("Together " + rounded_text(shown) +
                     (others.empty() ? ", which is q · k = "
                                     : ". With the " + join_texts(others, " and the ") + ", which add " +
                                           rounded_text(all - shown) + ", q · k = ") +
                     rounded_text(all) + ".",
                 theme.text);
}

void large_picture(const PageInputs& in, PageTools& tools, float room, PageBuilder& page) {
  const PositionSource source = shown_positions(in);
  const float height = std::clamp(room * 0.34F, 200.0F, 380.0F);
  const Positions kind = source.architecture.positions;
  if (kind == Positions::rotary) {
    dials(in, page);
    return turned_pairs(in, tools, height, page);
  }
  if (source.architecture.has_position_biases()) {
    const bool is_of_layer = source.architecture.has_per_layer_bias_tables();
    const bool is_of_stack = source.architecture.has_per_stack_position_tables();
    part_heading(page, "What each head adds by distance",
                 is_of_layer                      ? "in the selected layer, which has a table of its own"
                 : !is_of_stack                   ? ""
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

/// The present pass alone, because the pass that it is compared with may not have the stage.
constexpr MapLook present_look{.present = true, .max_cell = 32.0F, .font_size = 12.0F};

const char* meaning_of_products(Positions kind) {
  if (kind == Positions::rotary)
    return "Σ cos(difference of their angles): what the rotations make of the product of two equal vectors whose pairs have length 1.";
  return kind == Positions::learned
             ? "The product of their rows. Random rows resemble only themselves."
             : "The product of their rows: largest with itself, the same at equal distances.";
}

void similarity(const PageInputs& in, PageTools& tools, float height, PageBuilder& page) {
  const Architecture& a = in.trace->architecture();
  if (a.positions == Positions::none && !a.foreign.disentangled) {
    part_heading(page, "A bag of words", "");
    return page.say(
        "Attention compares words, not places. Without positions and a mask, reordering the words only reorders the rows and columns of every map: no number in them changes.");
  }
  if (is_unrotated(a, layer_of_positions(in))) {
    part_heading(page, "All positions are alike", "");
    return page.say("In this layer, the product of a query and a key is the same whatever their distance.");
  }
  if (a.has_position_biases() || a.foreign.disentangled) {
    StageId bias = in.at(StageKind::position_bias);
    bias.attention = AttentionKind::self;
    part_heading(page, "What " + head_text(in.trace->architecture(), head_of(bias)) + " adds to each score",
                 "");
    page.paragraph(
        a.foreign.disentangled
            ? "The products of the words and the distance from query (row) to key (column), scaled."
            : "The bias for the distance from query (row) to key (column), whatever the words.");
    return page.add(
        map_page(in, tools, "positions bias", bias, page.width(), height - page.y(), present_look));
  }
  part_heading(page, "How similar two positions are", "");
  page.paragraph(meaning_of_products(a.positions));
  page.add(picture_page(in, tools, PositionPicture::products, page.width(), height - page.y()));
}

const char* note_on_weights(const PageInputs& in) {
  if (in.against()) return "Above zero: more in B, which is shown; below zero: more in A.";
  const Architecture& a = in.trace->architecture();
  const bool in_scores = a.positions == Positions::rotary || a.has_position_biases();
  if (in_scores && in.session.selection.attention == AttentionKind::cross)
    return "These positions apply only to self-attention: cross-attention has none.";
  if (is_unrotated(a, layer_of_positions(in))) return "This layer computes them without positions.";
  return "What these positions do to the attention of this sentence.";
}

void two_columns(const PageInputs& in, PageTools& tools, float room, PageBuilder& page) {
  const bool side_by_side = page.width() > 520.0F;
  const float width = side_by_side ? (page.width() - between_position_columns) / 2.0F : page.width();
  const float height = std::clamp(std::max(room * 0.48F, room - page.y()), 300.0F, 480.0F);
  PageBuilder left(in, tools, width);
  similarity(in, tools, height, left);
  PageBuilder right(in, tools, width);
  const StageId weights = in.at(StageKind::weights);
  part_heading(right, "Attention weights of " + head_text(in.trace->architecture(), head_of(weights)),
               in.against() ? "B − A" : "");
  right.paragraph(note_on_weights(in));
  const MapLook look{.frames_row = true, .max_cell = 32.0F, .font_size = 12.0F};
  right.add(map_page(in, tools, "positions weights", weights, width, height - right.y(), look));
  Page both = left.take();
  append_beside(both, right.take(), side_by_side, width + between_position_columns, page_size::spacing);
  page.add(both);
}

/// Shows where the positions affect this sentence: the rows that are added, or the queries that are rotated.
void in_this_sentence(const PageInputs& in, PageTools& tools, PageBuilder& page) {
  const Architecture& a = in.trace->architecture();
  const bool turns = a.uses_rotary() && !is_unrotated(a, layer_of_positions(in));
  if (!turns && !a.adds_positions()) return;
  const StageId stage = in.at(turns ? StageKind::rotated_query : StageKind::positions);
  if (!in.trace->has(stage)) return;
  const Extent values = in.trace->extent(stage);
  const std::string of_head = " of " + head_text(a, head_of(stage));
  part_heading(page, turns ? "Rotated queries" + of_head : "This sentence's own rows", shape_text(values));
  const float lines = static_cast<float>(values.rows) * 22.0F + 56.0F;
  page.add(map_page(in, tools, "positions own", stage, page.width(), std::min(lines, 400.0F), present_look));
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

Headline positions_headline(const PageInputs& in, PageTools& /*tools*/) {
  const Architecture& a = in.trace->architecture();
  if (a.positions == Positions::none && !a.foreign.disentangled &&
      in.trace->mask_spec(in.at(StageKind::weights)).causal)
    return {"", {"Only from the mask, which shows each word those before it."}};
  if (is_unrotated(a, layer_of_positions(in)))
    return {"", {"This layer does not use positions: unlike others, it does not rotate queries and keys."}};
  return {"", {about_of(a).answer}};
}

Page positions_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  // The name of the method, its formula and a sentence about it.
  const Architecture& a = in.trace->architecture();
  const About& about = about_of(a);
  const int layer = layer_of_positions(in);
  const bool is_flat = is_unrotated(a, layer);
  const std::string formula = is_flat           ? "q · k, whatever t"
                              : a.uses_rotary() ? rotary_formula(a, layer)
                                                : about.formula;
  page.line({page.bold(about.title, page_size::title),
             {formula, Font::mono, page_size::control, page.theme().text}},
            16.0F);
  const bool has_buckets = a.positions == Positions::relative && a.relative_buckets;
  if (!is_flat) page.explain(has_buckets ? buckets_sentence(*a.relative_buckets) : about.sentence);
  if (a.uses_rotary() && !is_flat)
    page.explain(scaling_sentence(a.rotary_of(layer), a.kv_latent.has_value()));
  if (a.uses_rotary()) page.explain(sentence_about_layer(a, layer));
  if (a.positions != Positions::none && !is_flat) large_picture(in, tools, size.height, page);
  two_columns(in, tools, size.height, page);
  in_this_sentence(in, tools, page);
  return page.take();
}

}  // namespace headscope
