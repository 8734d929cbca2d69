#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>

#include "core/figure/column_groups.h"
#include "core/figure/split_figure.h"
#include "core/model/interventions.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/page_builder.h"
#include "core/split_text.h"
#include "core/tensor/descending.h"
#include "core/text/vocabulary.h"
#include "core/trace/derivation.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

constexpr float name_size = 11.0F;
constexpr float row_cell_height = 22.0F;
constexpr float min_cell = 1.5F;
constexpr float beside_cells = 140.0F;  ///< Approximate width of labels and colour bar.
constexpr std::string_view row_slots = "head rows ";

/// The stages of the queries and of the keys as they are multiplied.
std::pair<StageKind, StageKind> kinds_of(const PageInputs& in) {
  using enum StageKind;
  for (const auto& kinds : {std::pair(mapped_query, mapped_key), std::pair(rotated_query, rotated_key),
                            std::pair(normed_query, normed_key)})
    if (in.trace->has(in.at(kinds.first))) return kinds;
  return {query, key};
}

int width_of_heads(const PageInputs& in) {
  return in.trace->architecture().head_width(in.at(StageKind::query).layer);
}

StageId of_head(const PageInputs& in, StageKind kind, int head) {
  StageId id = in.at(kind);
  id.head = head;
  return id;
}

HeatmapSpec rows_of(const PageInputs& in, CellIndex pair, OwnedMatrix& numbers) {
  const auto kinds = kinds_of(in);
  const Architecture& a = in.trace->architecture();
  const int width = width_of_heads(in);
  numbers = OwnedMatrix(2, a.n_heads * width);
  for (int head = 0; head < a.n_heads; ++head) {
    const auto copy_row = [&](StageKind kind, int row, int to) {
      const StageNumbers numbers_of_row = in.trace->read(of_head(in, kind, head), {row, 0, 1, width});
      std::ranges::copy(numbers_of_row.view.row(0), &numbers.at(to, head * width));
    };
    copy_row(kinds.first, pair.row, 0);
    copy_row(kinds.second, pair.col, 1);
  }
  constexpr bool is_signed = true;
  HeatmapSpec spec =
      table_spec(numbers, ColorScale(in.session.picture, is_signed, numbers.view()),
                 std::vector{std::string(info(kinds.first).symbol), std::string(info(kinds.second).symbol)},
                 "", {numbers.cols, [](int col) { return std::to_string(col); }}, "");
  spec.numbers = false;
  return spec;
}

/// Adds a query above a key, head after head, on several lines if the cells would become invisible.
void add_head_rows(const PageInputs& in, PageTools& tools, CellIndex pair, PageBuilder& page) {
  const Architecture& a = in.trace->architecture();
  // Every line has the same number of heads, except possibly the last.
  const float width = static_cast<float>(width_of_heads(in)) * min_cell;
  const int fitting = std::clamp(static_cast<int>((page.width() - beside_cells) / width), 1, a.n_heads);
  const int n_lines = (a.n_heads + fitting - 1) / fitting;
  const int in_line = (a.n_heads + n_lines - 1) / n_lines;
  TableSpec table = table_of_pass(
      in, path(in.at(StageKind::query)) + " " + std::to_string(pair.row) + " " + std::to_string(pair.col),
      row_cell_height);
  table.above = column_groups_height(name_size);
  std::vector<ColumnGroup> groups;
  for (int head = 0; head < a.n_heads; ++head)
    groups.push_back({head * width_of_heads(in), width_of_heads(in), "head " + std::to_string(head),
                      head_color(in.session.picture, head, a.n_heads), head == in.session.selection.head});
  // Labels are elided to fit the height of their area, which is larger than the map.
  constexpr float height = 240.0F;
  for (int first = 0; first < a.n_heads; first += in_line) {
    const int n_heads = std::min(in_line, a.n_heads - first);
    table.window = {0, first * width_of_heads(in), 2, n_heads * width_of_heads(in)};
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

constexpr float between_examples = 32.0F;

/// The cell that is pinned or under the mouse, if it belongs to a map of this attention.
std::optional<Pin> pointed_at(const PageInputs& in) {
  const StageId place = in.at(StageKind::raw);
  for (const auto& pin : {in.session.selection.pin, in.hovered}) {
    if (!pin || !is_map(pin->stage.kind)) continue;
    const StageId& at = pin->stage;
    const bool here = at.stack == place.stack && at.layer == place.layer && at.attention == place.attention;
    const Extent scores = in.trace->extent(place);
    if (here && pin->row < scores.rows && pin->col < scores.cols) return pin;
  }
  return std::nullopt;
}

std::string width_in_words(const PageInputs& in) {
  const Architecture& a = in.trace->architecture();
  const int all = a.n_heads * width_of_heads(in);
  const std::string heads = std::to_string(a.n_heads) + (a.n_heads == 1 ? " head × " : " heads × ") +
                            std::to_string(width_of_heads(in));
  if (all == a.d_model) return "d_model " + std::to_string(a.d_model) + " = " + heads;
  return heads + " = " + std::to_string(all) + " numbers from d_model " + std::to_string(a.d_model);
}

/// Names the heads whose raw scores were entered by hand. Empty if there are none.
std::string given_scores(const PageInputs& in) {
  std::vector<std::string> heads;
  StageId id = in.at(StageKind::raw);
  for (id.head = 0; id.head < in.trace->architecture().n_heads; ++id.head)
    if (in.trace->given(id) != nullptr) heads.push_back(std::to_string(id.head));
  return heads.empty() ? ""
                       : " Not computed from these, because the raw scores were given by hand: head " +
                             join_texts(heads, ", ") + ".";
}

void pair_heading(const PageInputs& in, CellIndex pair, PageBuilder& page) {
  const Trace& trace = *in.trace;
  const StageId place = in.at(StageKind::raw);
  const std::string names = quoted_word(trace.label(place, Axis::query_tokens, pair.row)) + " looks at " +
                            quoted_word(trace.label(place, Axis::key_tokens, pair.col));
  const std::string width = width_in_words(in);
  page.line({page.bold(names, page_size::title),
             {width, Font::mono, page_size::control, page.theme().text},
             guess_word(trace, place, page.theme())},
            16.0F);
  const bool turned = trace.has(in.at(StageKind::rotated_query));
  const bool mapped = trace.has(in.at(StageKind::mapped_query));
  page.explain("Query " + std::to_string(pair.row) + " and key " + std::to_string(pair.col) +
               (turned   ? ", both rotated by their positions"
                : mapped ? ", both after the feature map φ"
                         : "") +
               "." + given_scores(in));
}

/// Linear attention does not scale its scores.
StageId scaled_or_raw(const PageInputs& in) {
  const StageId scaled = in.at(StageKind::scaled);
  return in.trace->has(scaled) ? scaled : in.at(StageKind::raw);
}

Page scores_page(const PageInputs& in, const PageTools& tools, CellIndex pair, float width) {
  HeadScoresSpec spec;
  const Trace& trace = *in.trace;
  const int n_heads = trace.architecture().n_heads;
  const auto scores_of = [&](StageKind kind) {
    std::vector<double> scores;
    for (int head = 0; head < n_heads; ++head)
      scores.push_back(trace.number(of_head(in, kind, head), pair.row, pair.col));
    return scores;
  };
  spec.raw = scores_of(StageKind::raw);
  if (scaled_or_raw(in).kind == StageKind::scaled) spec.scaled = scores_of(StageKind::scaled);
  spec.picture = in.session.picture;
  spec.scaling = score_scaling_text(trace, in.at(StageKind::scaled));
  spec.chosen = in.session.selection.head;
  Page page{draw_head_scores(spec, width, in.theme(), tools.measure), {}};
  for (int head = 0; head < n_heads; ++head)
    page.regions.push_back({head_score_box(head, width), HeadIndex{in.session.selection.layer, head}});
  return page;
}

/// The key to which a query gives most of its attention.
int most_attended(const PageInputs& in, int query) {
  const StageId weights = in.at(StageKind::weights);
  const Extent extent = in.trace->extent(weights);
  if (query >= extent.rows || extent.cols == 0) return 0;
  const StageNumbers row = in.trace->read_row(weights, query);
  const auto numbers = row.view.row(0);
  return static_cast<int>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

/// The cells at which two heads that look from one word at different ones look most clearly.
using TwoHeads = std::array<Pin, 2>;

/// The two heads, in all layers of an attention, that look most clearly from a query at two different words.
/// `weights` is the stage of any head. Empty if no two heads give half of their weight to different words.
/// What a head gives to the query itself, or to a special token, is no relation between words.
std::optional<TwoHeads> clearest_heads(const Trace& trace, StageId weights, int query) {
  constexpr float clear = 0.5F;
  const std::vector<Token>& tokens = trace.tokens(weights, Axis::key_tokens);
  std::map<std::string, std::pair<float, Pin>> clearest;  // of each word, with its weight
  for (const StageId& head : all_heads(trace.architecture(), weights)) {
    const StageNumbers row = trace.read_row(head, query);
    const auto numbers = row.view.row(0);
    const auto strongest = std::ranges::min_element(numbers, Descending{});
    const std::pair look{*strongest, Pin{head, query, static_cast<int>(strongest - numbers.begin())}};
    const Token& token = tokens[static_cast<std::size_t>(look.second.col)];
    const bool is_itself = weights.attention == AttentionKind::self && look.second.col == query;
    if (!(look.first >= clear) || is_itself || is_special_token(token)) continue;
    const auto [known, is_new] = clearest.try_emplace(token.lookup, look);
    if (!is_new && look.first > known->second.first) known->second = look;
  }
  if (clearest.size() < 2) return std::nullopt;
  std::vector<std::pair<float, Pin>> looks;
  for (const auto& [word, look] : clearest) looks.push_back(look);
  std::ranges::stable_sort(looks, std::greater<>(), &std::pair<float, Pin>::first);
  TwoHeads heads{looks[0].second, looks[1].second};
  if (heads[1].stage < heads[0].stage) std::swap(heads[0], heads[1]);
  return heads;
}

/// Empty if numbers are covered, or while the heads are not known.
std::optional<std::optional<TwoHeads>> heads_apart(const PageInputs& in, PageTools& tools) {
  const Architecture& a = in.trace->architecture();
  StageId id = in.at(StageKind::weights);
  const int n_layers = a.layers_of(id.stack);
  id.layer = n_layers - 1;  // A pass that is still being computed lacks its last layers.
  const int query = in.session.selection.token.value_or(-1);
  if (in.session.cover.stage || !in.trace->has(id) || query < 0 || query >= in.trace->extent(id).rows ||
      in.trace->extent(id).cols == 0)
    return {};
  const std::int64_t n_heads = std::int64_t{n_layers} * a.n_heads;
  constexpr std::int64_t few_weights = 1'000'000;
  const bool is_cheap = n_heads * in.trace->extent(id).cols <= few_weights;
  id.head = 0;
  const auto* found = tools.find(Asked<clearest_heads>{{in.trace, id, query}}, is_cheap);
  if (found == nullptr || !*found) return {};
  return **found;
}

/// “at “animal” in head 1.0”
std::string look_of(const Trace& trace, const TwoHeads& apart, std::size_t which) {
  const auto& [head, query, key] = apart[which];
  return "at " + quoted_word(trace.label(head, Axis::key_tokens, key)) + " in head " +
         head_name({head.layer, head.head});
}

/// The selected token as a query, and the key that is pinned or under the mouse, or else the key that
/// gets most of its attention.
CellIndex shown_pair(const PageInputs& in) {
  const Extent scores = in.trace->extent(in.at(StageKind::raw));
  const auto pointed = pointed_at(in);
  const int token = std::min(in.session.selection.token.value_or(0), std::max(scores.rows - 1, 0));
  if (!pointed) return {token, most_attended(in, token)};
  const bool pinned = pointed == in.session.selection.pin;
  return {pinned ? token : pointed->row, pointed->col};
}

/// Shows two relations of one word that one row of weights cannot hold at once: the rows of two heads, and
/// their mean, which is the best that one head could do for both.
void add_relations(const PageInputs& in, const TwoHeads& apart, PageTools& tools, PageBuilder& page) {
  const Trace& trace = *in.trace;
  const StageId& first = apart[0].stage;
  const StageId& second = apart[1].stage;
  const int query = *in.session.selection.token;
  page.line({page.bold("Two relations at once", page_size::title),
             page.muted("the two clearest of all heads, in every layer")},
            12.0F);
  page.say(
      "The weights of a row sum to 1, so one head alone would have to share them, and its output would be a mixture of both values. Two heads hand on both.");
  const std::vector<std::string> names{"head " + head_name({first.layer, first.head}),
                                       "head " + head_name({second.layer, second.head}), "one head for both"};
  const TableSpec table = table_of_pass(in, names[0] + " " + names[1] + " " + std::to_string(query));
  const auto make = [&](OwnedMatrix& numbers) {
    const int n_keys = trace.extent(first).cols;
    numbers = OwnedMatrix(3, n_keys);
    const StageNumbers a = trace.read_row(first, query);
    const StageNumbers b = trace.read_row(second, query);
    std::vector<std::string> keys;
    for (int key = 0; key < n_keys; ++key) {
      numbers.at(0, key) = a.view(0, key);
      numbers.at(1, key) = b.view(0, key);
      numbers.at(2, key) = 0.5F * (a.view(0, key) + b.view(0, key));
      keys.push_back(trace.label(first, Axis::key_tokens, key));
    }
    HeatmapSpec spec = table_spec(numbers, {}, names, "", std::move(keys), "");
    spec.font_size = 13.0F;
    show_shares(spec, in.session.picture, numbers.view());
    return spec;
  };
  constexpr float height = 230.0F;
  page.add(table_page(tools, "two relations", table, make, page.width(), height));
}

void add_split_example(const PageInputs& in, const PageTools& tools, PageBuilder& page) {
  const bool scales_scores = !in.session.architecture.linear_attention;
  page.line({page.bold("A row is split, not copied", page_size::title),
             page.muted("six numbers, divided among heads")},
            12.0F);
  const std::string own = "Each head compares only its own part of query and key";
  page.explain(own + (scales_scores ? ", and divides the product by √d_head."
                                    : ". Linear attention does not divide the product by √d_head."));
  page.space(4.0F);
  const std::vector<float> numbers{1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
  std::vector<Figure> figures;
  float all = 0.0F;
  for (const int n_heads : {1, 2, 3}) {
    figures.push_back(draw_split(split_into_heads(numbers, numbers, n_heads), in.session.picture,
                                 scales_scores, page.theme(), tools.measure));
    all += figures.back().width + between_examples;
  }
  if (all - between_examples > page.width()) figures.erase(figures.begin());
  Page line;
  for (const Figure& figure : figures) {
    const float x = line.figure.width > 0.0F ? line.figure.width + between_examples : 0.0F;
    if (x > 0.0F && x + figure.width > page.width()) {
      page.add(line);
      line = Page{};
      append(line, Page{figure, {}}, 0.0F, 0.0F);
    } else {
      append(line, Page{figure, {}}, x, 0.0F);
    }
  }
  page.add(line);
}

void add_split_pair(const PageInputs& in, float height_of_page, PageTools& tools, PageBuilder& page) {
  if (!in.trace->has(in.at(StageKind::raw)) || !can_read(in, tools, in.at(StageKind::weights)) ||
      !can_read(in, tools, in.at(StageKind::raw)))
    return page.paragraph(unreadable_text(tools));
  const CellIndex pair = shown_pair(in);
  pair_heading(in, pair, page);
  add_head_rows(in, tools, pair, page);
  page.space(4.0F);
  const bool side_by_side = page.width() > 560.0F;
  const float list = side_by_side ? std::min((page.width() - 24.0F) * 0.52F, 480.0F) : page.width();
  const float map = side_by_side ? page.width() - list - 24.0F : page.width();
  const float height = std::clamp(height_of_page - page.y(), 300.0F, 520.0F);
  Page scores = scores_page(in, tools, pair, list);
  PageBuilder right(in, tools, map);
  const StageId scaled = scaled_or_raw(in);
  const std::string title =
      std::string(info(scaled.kind).title) + " of " + head_text(*in.trace, head_of(scaled));
  right.line(
      {right.bold(title), {formula(*in.trace, scaled), Font::mono, page_size::small, right.theme().quiet}},
      12.0F);
  const MapLook look{.max_cell = 32.0F, .font_size = 12.0F};
  right.add(map_page(in, tools, "split scaled", scaled, map, height - right.y(), look));
  append_beside(scores, right.take(), side_by_side, list + 24.0F, page_size::spacing);
  page.add(scores);
}

}  // namespace

std::optional<Pin> cell_of_head_rows(const PageInputs& in, const std::string& table, CellIndex cell) {
  if (!table.starts_with(row_slots)) return std::nullopt;
  const int width = width_of_heads(in);
  const auto kinds = kinds_of(in);
  const CellIndex pair = shown_pair(in);
  const bool is_query = cell.row == 0;
  const StageId stage = of_head(in, is_query ? kinds.first : kinds.second, cell.col / width);
  return Pin{stage, is_query ? pair.row : pair.col, cell.col % width};
}

Headline split_headline(const PageInputs& in, PageTools& tools) {
  const auto apart = heads_apart(in, tools);
  if (!apart || in.trace->architecture().n_heads == 1) return {};
  const StageId weights = in.at(StageKind::weights);
  const std::string word =
      quoted_word(in.trace->label(weights, Axis::query_tokens, *in.session.selection.token));
  if (!*apart)
    return {"",
            {"From " + word +
             ", no two heads of this model look clearly, with 0.5 or more, at different words."}};
  return {"",
          {"From " + word + ", the model looks " + look_of(*in.trace, **apart, 0) + " and " +
           look_of(*in.trace, **apart, 1) + "."}};
}

Page split_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  if (const auto apart = heads_apart(in, tools); apart && *apart) {
    add_relations(in, **apart, tools, page);
    page.divider();
  }
  add_split_example(in, tools, page);
  page.divider();
  add_split_pair(in, size.height, tools, page);
  return page.take();
}

}  // namespace headscope
