#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "core/figure/colormap.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/page_builder.h"
#include "core/tensor/descending.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr const char* first_choices_slot = "first choices of experts";
constexpr float max_row_height = 30.0F;  ///< Of both maps, so that their rows are alike.

const Experts& experts_of(const PageInputs& in) {
  return *in.trace->architecture().foreign.experts;
}

/// What the words of a sentence take from the experts of a layer.
struct LayerRoutes {
  StageId shares;
  std::vector<int> first;          ///< For each word, the expert with the largest share but the shared one.
  std::vector<float> first_share;  ///< That share.
  std::vector<std::vector<int>> words;  ///< For each expert, the words that take it.
};

/// The shares of all layers that have experts and that the pass has computed.
std::vector<StageId> layers_of_experts(const Trace& trace, StageId shares) {
  std::vector<StageId> stages;
  for (shares.layer = 0; shares.layer < trace.architecture().layers_of(shares.stack); ++shares.layer) {
    if (trace.has(shares)) stages.push_back(shares);
  }
  return stages;
}

LayerRoutes routes_of(const Trace& trace, const StageId& shares) {
  const auto n_experts = static_cast<std::size_t>(trace.architecture().foreign.experts->count);
  LayerRoutes layer{shares, {}, {}, std::vector<std::vector<int>>(n_experts)};
  for (int word = 0; word < trace.extent(shares).rows; ++word) {
    const StageNumbers numbers = trace.read_row(shares, word);
    const auto of_word = numbers.view.row(0).first(n_experts);
    const auto first = std::ranges::min_element(of_word, Descending{});
    layer.first.push_back(static_cast<int>(first - of_word.begin()));
    layer.first_share.push_back(*first);
    for (std::size_t expert = 0; expert < n_experts; ++expert)
      if (of_word[expert] != 0.0F) layer.words[expert].push_back(word);
  }
  return layer;
}

/// \param shares Those of layer 0, for the stack.
Slices<std::vector<LayerRoutes>> routes_of_layers(const Trace& trace, StageId shares) {
  const std::vector<StageId> stages = layers_of_experts(trace, shares);
  std::vector<LayerRoutes> layers;
  for (const StageId& stage : stages) {
    layers.push_back(routes_of(trace, stage));
    co_yield static_cast<double>(layers.size()) / static_cast<double>(stages.size());
  }
  co_return layers;
}

/// Empty while they are being computed. Valid until they are asked for again.
const std::vector<LayerRoutes>& all_routes(const PageInputs& in, PageTools& tools) {
  StageId shares = in.at(StageKind::expert_shares);
  shares.layer = 0;
  const bool is_cheap = are_cheap_to_read(*in.trace, layers_of_experts(*in.trace, shares));
  const auto* found = tools.find(Asked<routes_of_layers>{{in.trace, shares}}, is_cheap);
  static const std::vector<LayerRoutes> none;
  return found != nullptr && *found ? **found : none;
}

/// The routes of the selected layer. Null if it has no experts, or while they are being computed.
const LayerRoutes* selected_routes(const PageInputs& in, const std::vector<LayerRoutes>& routes) {
  const auto found = std::ranges::find(routes, in.at(StageKind::expert_shares), &LayerRoutes::shares);
  return found == routes.end() ? nullptr : &*found;
}

/// The experts that a word takes, by descending share, and last the shared one.
std::vector<int> taken_experts(const MatrixView& shares) {
  std::vector<int> taken;
  for (int expert = 0; expert < shares.cols; ++expert)
    if (shares(0, expert) != 0.0F) taken.push_back(expert);
  return taken;
}

/// “Layer 3 sends it to expert 5 with 0.62 and to expert 1 with 0.38.”
std::string route_sentence(const PageInputs& in, const StageId& shares, int row, const std::string& word) {
  const int n_experts = experts_of(in).count;
  const StageNumbers numbers = in.trace->read_row(shares, row);
  std::vector<int> taken = taken_experts(numbers.view);
  const bool has_shared = !taken.empty() && taken.back() == n_experts;
  if (has_shared) taken.pop_back();
  std::ranges::stable_sort(taken, Descending{}, [&](int expert) { return numbers.view(0, expert); });
  const auto named = [&](int expert) {
    return expert_name(*in.trace, expert) + " with " + in.number(numbers.view(0, expert));
  };
  constexpr std::size_t most = 3;
  const std::size_t n = taken.size() <= most ? taken.size() : most - 1;
  std::string text = "Layer " + std::to_string(shares.layer) + " sends " + word + " to ";
  for (std::size_t i = 0; i < n; ++i)
    text += (i == 0 ? "" : i + 1 == taken.size() ? " and to " : ", to ") + named(taken[i]);
  if (n < taken.size()) text += " and to " + std::to_string(taken.size() - n) + " others";
  return text + (has_shared ? "; " + named(n_experts) : "") + ".";
}

/// How many words each expert would take if all took as many.
double even_load(const PageInputs& in, const LayerRoutes& routes) {
  return static_cast<double>(routes.first.size()) * experts_of(in).top_k / experts_of(in).count;
}

std::size_t busiest_expert(const LayerRoutes& routes) {
  const auto busiest =
      std::ranges::max_element(routes.words, {}, [](const std::vector<int>& words) { return words.size(); });
  return static_cast<std::size_t>(busiest - routes.words.begin());
}

/// “Expert 5 takes 2 of 11 words”, followed by up to `n_named` of them: “: “cat”, “mat””.
std::string load_text(const PageInputs& in, const LayerRoutes& routes, std::size_t expert,
                      std::size_t n_named) {
  const std::vector<int>& words = routes.words[expert];
  std::string text = "Expert " + std::to_string(expert) + " takes " + grouped(std::ssize(words)) + " of " +
                     count_text(std::ssize(routes.first), "word");
  for (std::size_t i = 0; i < std::min(words.size(), n_named); ++i)
    text +=
        (i == 0 ? ": " : ", ") + quoted_word(in.trace->label(routes.shares, Axis::query_tokens, words[i]));
  return text + (words.size() > n_named && n_named > 0 ? " and others" : "");
}

/// The experts that take most words: “Expert 5 takes 2 of 11 words” or, if they tie, “Experts 1, 3 and 4 take
/// 2 of 11 words each”, then “, the most; an even split would give each 2.”
std::string busiest_text(const PageInputs& in, const LayerRoutes& routes) {
  const std::size_t busiest = busiest_expert(routes);
  std::vector<std::string> tied;
  for (std::size_t expert = busiest; expert < routes.words.size(); ++expert)
    if (routes.words[expert].size() == routes.words[busiest].size()) tied.push_back(std::to_string(expert));
  const std::string even =
      ", the most; an even split would give each " + number_text(even_load(in, routes), 2) + ".";
  if (tied.size() == 1) return load_text(in, routes, busiest, 0) + even;
  constexpr std::size_t max_named = 4;
  const bool are_all = tied.size() == routes.words.size();
  return (are_all                    ? "All experts"
          : tied.size() <= max_named ? "Experts " + names_text(tied)
                                     : grouped(std::ssize(tied)) + " experts") +
         " take " + grouped(std::ssize(routes.words[busiest])) + " of " +
         count_text(std::ssize(routes.first), "word") + " each" + (are_all ? "." : even);
}

constexpr float min_shares_height = 240.0F;
constexpr float load_height = 64.0F;  ///< Of the bars below the map, with their numbers.

/// A bar below each column of the map for the words that take its expert, and a line at the even load. The
/// shared expert, which all words take, stands behind a line and has no bar.
void draw_loads(Page& page, const PageInputs& in, const LayerRoutes& routes, const CellGrid& grid,
                const PageTools& tools) {
  const Theme& theme = in.theme();
  constexpr float number_height = 16.0F;
  const float room = load_height - number_height;  // Of the bars, above their numbers.
  const float top = page.figure.height + page_size::spacing;
  const float bottom = top + room;
  const float middle = bottom + 0.5F * number_height;
  const auto most = static_cast<float>(std::max<std::size_t>(routes.words[busiest_expert(routes)].size(), 1));
  const int last = std::min(grid.first_col + grid.n_cols, experts_of(in).count);
  for (int expert = grid.first_col; expert < last; ++expert) {
    const Box column = grid.box_of(grid.first_row, expert);
    const auto at = static_cast<std::size_t>(expert);
    const std::size_t n = routes.words[at].size();
    const float height = room * static_cast<float>(n) / most;
    add_box(page.figure, {column.x, bottom - height, column.w, height}, theme.data);
    const std::string text = std::to_string(n);
    if (tools.measure(text, Font::mono, page_size::small).width <= column.w)
      add_text(page.figure, text, {column.x + 0.5F * column.w, middle}, n == 0 ? theme.quiet : theme.text,
               page_size::small, Font::mono, HorizontalAnchor::center);
    page.regions.push_back(
        {{column.x, top, column.w, load_height}, ExplainedWord{load_text(in, routes, at, 12)}});
  }
  const float even = bottom - room * static_cast<float>(even_load(in, routes)) / most;
  const float right = grid.box_of(grid.first_row, last - 1).right();
  add_line(page.figure, {grid.cells.x, even}, {right, even}, theme.accent);
  add_text(page.figure, "even", {grid.cells.x - page_size::spacing, even}, theme.accent, page_size::small,
           Font::sans, HorizontalAnchor::right);
  add_text(page.figure, "words", {grid.cells.x - page_size::spacing, middle}, theme.quiet, page_size::small,
           Font::sans, HorizontalAnchor::right);
  page.figure.height = top + load_height;
  if (last < grid.first_col + grid.n_cols)
    add_line(page.figure, {right, grid.cells.y}, {right, grid.cells.bottom()}, theme.text, 2.0F);
}

std::string no_experts_text(const StageId& shares) {
  return "Layer " + std::to_string(shares.layer) + " has no experts: one feed-forward layer takes all words.";
}

/// The words and the experts of the selected layer, with the loads below.
Page layer_page(const PageInputs& in, const std::vector<LayerRoutes>& routes, const PageSize& size,
                PageTools& tools) {
  const StageId shares = in.at(StageKind::expert_shares);
  PageBuilder page(in, tools, size.width);
  page.line({page.bold(heading_title(in, shares.kind)), page.muted(place_text(*in.trace, shares))});
  if (!in.trace->has(shares)) {
    page.explain(in.trace->architecture().has_experts(shares.layer) ? "Computing…" : no_experts_text(shares));
    return page.take();
  }
  page.line({{formula(*in.trace, shares), Font::mono, page_size::small, page.theme().quiet}});
  const float height = std::max(size.height - page.y() - load_height - page_size::spacing, min_shares_height);
  const MapLook look{.color_bar_label = false,
                     .zoomable = true,
                     .frames_row = true,
                     .is_cut = true,
                     .max_cell = 56.0F,
                     .max_cell_height = max_row_height};
  Page map = map_page(in, tools, "experts", shares, size.width, height, look);
  const LayerRoutes* layer = selected_routes(in, routes);
  const CellGrid* cells = cells_in(map, "experts");
  if (cells != nullptr && layer != nullptr) draw_loads(map, in, *layer, CellGrid(*cells), tools);
  page.add(map);
  return page.take();
}

/// The share of the first expert of each word (row) in each layer (column).
HeatmapSpec first_choices(const PageInputs& in, const std::vector<LayerRoutes>& routes,
                          OwnedMatrix& numbers) {
  const StageId shares = routes.front().shares;
  numbers = OwnedMatrix(static_cast<int>(routes.front().first.size()), static_cast<int>(routes.size()));
  std::vector<std::string> words, layers;
  for (int word = 0; word < numbers.rows; ++word)
    words.push_back(in.trace->label(shares, Axis::query_tokens, word));
  for (int layer = 0; layer < numbers.cols; ++layer) {
    const LayerRoutes& each = routes[static_cast<std::size_t>(layer)];
    layers.push_back(std::to_string(each.shares.layer));
    for (int word = 0; word < numbers.rows; ++word)
      numbers.at(word, layer) = each.first_share[static_cast<std::size_t>(word)];
  }
  constexpr bool is_signed = false;
  HeatmapSpec spec = table_spec(numbers, ColorScale(in.session.picture, is_signed, numbers.view()),
                                std::move(words), "tokens", std::move(layers), "layers");
  spec.color_bar = spec.numbers = false;
  spec.font_size = 13.0F;
  spec.max_cell_height = max_row_height;
  return spec;
}

/// Writes each word's first expert into its cell, and frames the words that share it with the selected one.
void name_experts(Page& page, const PageInputs& in, const std::vector<LayerRoutes>& routes,
                  const TablePanel& panel, const PageTools& tools) {
  const CellGrid grid = panel.layout.grid();
  const std::string widest = std::to_string(experts_of(in).count - 1);
  const float width = tools.measure(widest, Font::sans, page_size::small).width;
  const float size =
      page_size::small * std::min({1.0F, grid.cell_height / 18.0F, (grid.cell_width - 4.0F) / width});
  const bool has_text = size >= 7.0F;
  const auto& chosen = panel.drawn.marked_row;
  for (int layer = 0; layer < grid.n_cols && !panel.layout.raster; ++layer) {
    const LayerRoutes& of_layer = routes[static_cast<std::size_t>(layer)];
    for (std::size_t word = 0; word < of_layer.first.size(); ++word) {
      const Box box = grid.box_of(static_cast<int>(word), layer);
      const int expert = of_layer.first[word];
      const auto color = panel.spec.scale.color(of_layer.first_share[word]);
      if (has_text && color)
        add_text(page.figure, std::to_string(expert), {box.x + 0.5F * box.w, box.y + 0.5F * box.h},
                 readable_on(*color), size, Font::sans, HorizontalAnchor::center);
      if (chosen && expert == of_layer.first[static_cast<std::size_t>(*chosen)])
        add_frame(page.figure, box, in.theme().accent, 1.5F, 2.0F);
    }
  }
}

/// The first choice of every word in every layer.
Page strip_page(const PageInputs& in, const std::vector<LayerRoutes>& routes, const PageSize& size,
                PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const StageId& shares = routes.front().shares;
  TableSpec table = table_of_pass(in, path(shares), 56.0F);
  const auto& token = in.session.selection.token;
  if (token && *token < std::ssize(routes.front().first)) table.marked_row = token;
  page.line({page.bold("First expert in each layer")});
  page.line({page.muted("Stronger colour: a larger share."),
             page.muted(table.marked_row
                            ? "Framed: the expert of " +
                                  quoted_word(in.trace->label(shares, Axis::query_tokens, *token)) + "."
                            : "")});
  if (const LayerRoutes* selected = selected_routes(in, routes))
    table.marked_col = static_cast<int>(selected - routes.data());
  Page map = table_page(
      tools, first_choices_slot, table,
      [&](OwnedMatrix& numbers) { return first_choices(in, routes, numbers); }, size.width,
      std::max(size.height - page.y() - load_height, min_shares_height));
  name_experts(map, in, routes, tools.memo.tables[first_choices_slot], tools);
  page.add(map);
  return page.take();
}

}  // namespace

std::optional<PositionCell> routed_cell(const PageInputs& in, PageTools& tools, CellIndex cell) {
  const std::vector<LayerRoutes>& routes = all_routes(in, tools);
  const auto layer = static_cast<std::size_t>(cell.col);
  if (layer >= routes.size() || cell.row >= static_cast<int>(routes[layer].first.size())) return std::nullopt;
  const StageId& shares = routes[layer].shares;
  const std::string word = quoted_word(in.trace->label(shares, Axis::query_tokens, cell.row));
  return PositionCell{route_sentence(in, shares, cell.row, word),
                      Pin{shares, cell.row, routes[layer].first[static_cast<std::size_t>(cell.row)]}};
}

Headline experts_headline(const PageInputs& in, PageTools& tools) {
  const StageId shares = in.at(StageKind::expert_shares);
  const auto& token = in.session.selection.token;
  Headline headline;
  const Architecture& a = in.trace->architecture();
  if (a.foreign.experts && !a.has_experts(shares.layer)) headline.answer.push_back(no_experts_text(shares));
  if (!in.trace->has(shares)) return headline;
  if (token && *token < in.trace->extent(shares).rows && can_read(in, tools, shares)) {
    headline.question =
        "Which expert takes " + quoted_word(in.trace->label(shares, Axis::query_tokens, *token)) + "?";
    headline.answer.push_back(route_sentence(in, shares, *token, "it"));
  }
  const std::vector<LayerRoutes>& routes = all_routes(in, tools);
  if (const LayerRoutes* layer = selected_routes(in, routes); layer != nullptr && !layer->first.empty())
    headline.answer.push_back(busiest_text(in, *layer));
  return headline;
}

Page experts_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const std::vector<LayerRoutes>& routes = all_routes(in, tools);
  const bool is_dense = !in.trace->architecture().has_experts(in.at(StageKind::expert_shares).layer);
  const bool has_words = !routes.empty() && !routes.front().first.empty();
  if (is_dense && has_words) return strip_page(in, routes, size, tools);  // The headline says so.
  constexpr float gap = 32.0F;
  constexpr float min_width = 760.0F;  // Of both beside each other.
  const bool is_beside = size.width >= min_width;
  const float n_experts = routes.empty() ? 1.0F : static_cast<float>(routes.front().words.size());
  const float share = std::clamp(n_experts / (n_experts + static_cast<float>(routes.size())), 0.45F, 0.62F);
  const float width = is_beside ? std::floor(share * (size.width - gap)) : size.width;
  Page page = layer_page(in, routes, {width, size.height}, tools);
  if (!has_words) return page;
  const float rest = is_beside ? size.width - width - gap : size.width;
  append_beside(page, strip_page(in, routes, {rest, size.height}, tools), is_beside, width + gap, gap);
  return page;
}

PageNumbers experts_numbers(const PageInputs& in, PageTools& tools) {
  DataTable shares{"shares", {"layer", "position", "token", "expert", "share"}};
  DataTable loads{"loads", {"layer", "expert", "n_tokens"}};
  for (const LayerRoutes& layer : all_routes(in, tools)) {
    const auto n_experts = static_cast<int>(layer.words.size());
    for (int word = 0; word < static_cast<int>(layer.first.size()); ++word) {
      const StageNumbers row = in.trace->read_row(layer.shares, word);
      for (const int expert : taken_experts(row.view))
        shares.rows.push_back({layer.shares.layer, word,
                               in.trace->full_label(layer.shares, Axis::query_tokens, word),
                               expert == n_experts ? TableCell("shared") : TableCell(expert),
                               static_cast<double>(row.view(0, expert))});
    }
    for (int expert = 0; expert < n_experts; ++expert)
      loads.rows.push_back(
          {layer.shares.layer, expert, std::ssize(layer.words[static_cast<std::size_t>(expert)])});
  }
  return std::vector<DataTable>{std::move(shares), std::move(loads)};
}

}  // namespace headscope
