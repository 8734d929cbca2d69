#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/figure/colormap.h"
#include "core/figure/token_strip.h"
#include "core/model/interventions.h"
#include "core/page/heads/heads_page.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/page_builder.h"
#include "core/page/parts/small_pictures.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

struct StripRoom {
  float width = 0.0F;
  float one_row = 0.0F;  ///< The height of a sentence on one row, including its lines.
  float most = 0.0F;     ///< The maximum height, which limits the visible rows of a long sentence.
};

/// Whether each word has its position below it: with details, or if two sentences are numbered separately.
bool strip_shows_numbers(const PageInputs& in) {
  return in.session.picture.details || in.session.selection.attention == AttentionKind::cross;
}

void mark_padding(const PageInputs& in, int n_before, int n_weights, TokenStripSpec& spec) {
  const Trace& trace = *in.trace;
  spec.padded.clear();
  const auto& padding = trace.mask_spec(in.at(StageKind::weights)).padding;
  if (!padding.empty() || trace.batch().n_padded > 0) spec.padded.assign(spec.tokens.size(), false);
  // The selection may be ahead of the pass, which then has no weights for these tokens.
  const int last = std::min(n_weights, static_cast<int>(spec.tokens.size()));
  const auto pad = [&spec, last](int token) {
    if (token >= 0 && token < last) spec.padded[static_cast<std::size_t>(token)] = true;
  };
  for (const int token : padding) pad(token);
  const bool sees_source = in.session.selection.stack == trace.architecture().first_stack() || n_before > 0;
  for (int i = 0; i < trace.batch().n_padded && sees_source; ++i) pad(last - 1 - i);
}

/// Marks the selected query, the tokens that it attends to, and the padding.
void mark_strip(const PageInputs& in, PageTools& tools, bool writes_weights, TokenStripSpec& spec) {
  const Trace& trace = *in.trace;
  const int before = n_before_queries(in);
  const auto in_strip = [before](const std::optional<int>& query) {
    return query ? std::optional<int>(*query + before) : std::nullopt;
  };
  spec.hovered = in_strip(in.hovered_token);
  spec.selected = in_strip(shown_query(in));
  spec.threshold = in.session.picture.line_threshold;
  spec.weights.clear();
  spec.weight_texts.clear();
  const StageId weights = shown_weights(in);
  const Extent size = trace.extent(weights);
  // The weights of one of several heads explain nothing about a stage of all heads, and those of a sentence
  // nothing about parameters.
  const StageInfo& stage = info(in.session.selection.stage);
  const bool is_of_head =
      !stage.is_parameter() && (stage.scope == StageScope::head || trace.architecture().n_heads == 1);
  // Lines would reveal weights that an exercise hides.
  const bool hides = spec.selected && hides_weights_of(in, *spec.selected - before, size.cols);
  if (spec.selected && is_of_head && !hides && *spec.selected - before < size.rows &&
      can_read(in, tools, weights)) {
    const StageNumbers numbers = trace.read_row(weights, *spec.selected - before);
    const auto row = numbers.view.row(0);
    spec.weights.assign(row.begin(), row.end());
    spec.weights.resize(spec.tokens.size(), 0.0F);
    for (std::size_t i = 0; i < spec.weights.size() && writes_weights; ++i) {
      const float weight = spec.weights[i];
      spec.weight_texts.push_back(weight < spec.threshold ? "" : in.number(weight));
    }
  }
  mark_padding(in, before, size.cols, spec);
}

constexpr float above_boxes = 24.0F;      ///< The height of everything above the boxes.
constexpr float overview_height = 18.0F;  ///< The height of the overview of a long sentence.

bool shows_surprise(const PageInputs& in) {
  const bool is_of_sentence = in.session.selection.attention == AttentionKind::self &&
                              in.session.selection.stack == in.trace->architecture().last_stack();
  return in.session.picture.surprise && is_of_sentence && has_predictions(in);
}

TokenStripSpec strip_tokens(const PageInputs& in) {
  TokenStripSpec spec;
  spec.first_of_second = n_before_queries(in);
  // In cross-attention, the tokens of the source, which are keys, precede the queries.
  const StageId place = in.at(StageKind::weights);
  std::vector<Token> tokens;
  if (place.attention == AttentionKind::cross) tokens = in.trace->tokens(Stack::encoder);
  const std::vector<Token>& queries = in.trace->tokens(place.stack);
  tokens.insert(tokens.end(), queries.begin(), queries.end());
  for (const Token& token : tokens) {
    spec.unknown.push_back(in.trace_model && is_unknown_word(token, *in.trace_model));
    spec.tokens.push_back(display_word(token.text));
    spec.ids.push_back(token.id);
  }
  spec.shows_ids = in.session.picture.details;
  spec.shows_numbers = strip_shows_numbers(in);
  if (!shows_surprise(in)) return spec;
  for (const auto& bits : surprises(*in.trace))  // with one digit after the point
    spec.above.push_back(bits ? decimals_text(*bits, 1) : "");
  return spec;
}

TokenStripLayout strip_layout(const TokenStripSpec& spec, const StripRoom& room, const MeasureText& measure) {
  const Box one_row{0.0F, 0.0F, room.width, std::max(room.one_row - above_boxes, 40.0F)};
  TokenStripLayout layout = layout_token_strip(spec, one_row, measure);
  if (layout.n_rows <= (layout.two_sentences ? 2 : 1) && layout.n_visible_rows == layout.n_rows)
    return layout;
  // Lines between two sentences are visible only if both ends are, so these may take more of the page.
  constexpr int max_rows_of_two = 4;
  const bool keeps_ends = layout.two_sentences && layout.n_rows <= max_rows_of_two;
  const float most = keeps_ends ? std::max(room.most - above_boxes, layout.height_of(layout.n_rows) + 1.0F)
                                : room.most - above_boxes - overview_height;
  int rows = 1;
  while (rows < layout.n_rows && layout.height_of(rows + 1) <= most) ++rows;
  constexpr float below = 1.0F;
  return layout_token_strip(spec, {0.0F, 0.0F, room.width, layout.height_of(rows) + below}, measure);
}

/// The row that was scrolled to or, by default, the first, or that of a selected token out of sight.
int first_row_in_sight(const PageInputs& in, const TokenStripLayout& layout) {
  if (in.strip_row) return *in.strip_row;
  const auto& token = in.session.selection.token;
  if (!token) return 0;
  const std::size_t place = static_cast<std::size_t>(*token) + static_cast<std::size_t>(n_before_queries(in));
  if (place >= layout.rows.size()) return 0;
  return layout.rows[place] < layout.n_visible_rows ? 0 : layout.rows[place];
}

/// Lays out the strip again if anything that it depends on has changed.
void refresh_strip(const PageInputs& in, const StripRoom& room, const PageTools& tools, StripMemo& strip) {
  const StageId place = in.at(StageKind::weights);
  const decltype(strip.key) key{in.trace,
                                place.stack,
                                place.attention,
                                room.width,
                                room.one_row,
                                room.most,
                                tools.fonts,
                                in.session.picture.details,
                                strip_shows_numbers(in),
                                shows_surprise(in)};
  if (strip.key != key) {
    strip.key = key;
    strip.spec = strip_tokens(in);
    strip.layout = strip_layout(strip.spec, room, tools.measure);
  }
  const int wanted =
      std::clamp(first_row_in_sight(in, strip.layout), 0, strip.layout.n_rows - strip.layout.n_visible_rows);
  if (wanted == strip.layout.first_row) return;
  strip.spec.first_row = wanted;
  strip.layout = layout_token_strip(strip.spec, strip.layout.area, tools.measure);
}

/// Says which rows of a long sentence are in sight: "rows 1–3 of 5".
std::string rows_in_sight(const TokenStripLayout& layout) {
  if (layout.n_visible_rows >= layout.n_rows) return {};
  const int last = layout.first_row + layout.n_visible_rows;
  const std::string first = std::to_string(layout.first_row + 1);
  const std::string rows =
      layout.n_visible_rows == 1 ? "row " + first : "rows " + first + "–" + std::to_string(last);
  return rows + " of " + std::to_string(layout.n_rows);
}

/// An overview of a long sentence: where the selected token looks, and which tokens are visible. A place that
/// several tokens share stands for the first of them.
Page overview_of(const TokenStripSpec& spec, const TokenStripLayout& layout, float width,
                 const Theme& theme) {
  constexpr float min_place = 2.0F;
  Page page;
  page.figure.width = width;
  page.figure.height = overview_height;
  const Box band{0.0F, 2.0F, width, overview_height - 8.0F};
  add_box(page.figure, band, theme.control, 2.0F);
  const std::size_t n = spec.tokens.size();
  const std::size_t n_places = std::min(n, static_cast<std::size_t>(std::max(width / min_place, 1.0F)));
  const auto x_of = [&](std::size_t token) {
    return width * static_cast<float>(token) / static_cast<float>(n);
  };
  for (std::size_t place = 0; place < n_places; ++place) {
    const std::size_t first = place * n / n_places;
    const std::size_t last = (place + 1) * n / n_places;
    float weight = 0.0F;
    for (std::size_t token = first; token < std::min(last, spec.weights.size()); ++token)
      weight = std::max(weight, spec.weights[token]);
    const auto selected = static_cast<std::size_t>(spec.selected.value_or(-1));
    const bool is_selected = spec.selected && first <= selected && selected < last;
    const Box box{x_of(first), band.y, std::max(x_of(last) - x_of(first), 1.0F), band.h};
    // The square root makes small weights distinguishable from 0.
    const float share = std::sqrt(std::clamp(weight, 0.0F, 1.0F));
    if (is_selected || weight >= spec.threshold)
      add_box(page.figure, box, is_selected ? theme.text : mixed(theme.control, theme.accent, share));
    page.regions.push_back({box, TokenArea{static_cast<int>(first)}});
  }
  std::size_t first = n;
  std::size_t last = 0;
  for (std::size_t token = 0; token < n; ++token) {
    if (!layout.is_visible(static_cast<int>(token))) continue;
    first = std::min(first, token);
    last = token + 1;
  }
  if (first < last) {
    add_frame(page.figure,
              {x_of(first), band.y - 1.0F, std::max(x_of(last) - x_of(first), 4.0F), band.h + 2.0F},
              theme.quiet, 1.0F, 2.0F);
  }
  return page;
}

/// "arcs for weights from 0.02: 3 of 11". Empty if no query is selected.
std::string strip_statement(const TokenStripSpec& spec) {
  if (!spec.selected || spec.weights.empty()) return {};
  // Of two sentences, only the first has keys.
  const auto all = std::ssize(spec.weights);
  const std::ptrdiff_t n =
      spec.first_of_second > 0 ? std::min<std::ptrdiff_t>(all, spec.first_of_second) : all;
  return line_statement({spec.weights.begin(), spec.weights.begin() + n}, spec.threshold);
}

/// Draws the sentence with lines from the selected query to the tokens that it attends to. A SentenceArea
/// says which rows are visible; `tools.memo.strip` caches the layout.
Page strip_page(const PageInputs& in, const StripRoom& room, PageTools& tools) {
  StripMemo& strip = tools.memo.strip;
  refresh_strip(in, room, tools, strip);
  const TokenStripLayout& layout = strip.layout;
  mark_strip(in, tools, !layout.two_sentences, strip.spec);
  PageBuilder heading(in, tools, room.width);
  const std::string stage = heading_title(in, in.session.selection.stage);
  const StageId shown = in.at(in.session.selection.stage);
  const std::string place = place_text(*in.trace, shown);
  const std::string_view dropout = dropout_text(*in.trace, shown_weights(in).kind);
  std::string said = in.in_file ? "" : strip_statement(strip.spec);
  if (!said.empty() && !dropout.empty()) said += ", " + std::string(dropout);
  const std::string rows = rows_in_sight(layout);
  constexpr float gap = 12.0F;
  std::array words{PageWord{stage, Font::sans_bold, page_size::body, heading.theme().text},
                   PageWord{place, Font::sans, page_size::control, heading.theme().quiet},
                   guess_word(*in.trace, shown, heading.theme()),
                   PageWord{rows, Font::sans, page_size::small, heading.theme().quiet},
                   PageWord{said, Font::sans, page_size::small, heading.theme().quiet}};
  float width = 0.0F;
  for (const PageWord& word : words)
    if (!word.text.empty()) width += tools.measure(word.text, word.font, word.size).width + gap;
  const float for_words = room.width - in.reserved_link_width;
  // A statement that does not fit whole would only distract.
  if (width > for_words) words.back().text = {};
  const float caption_width =
      heading.line({words[0], words[1], words[2], words[3], words[4]}, gap, for_words);
  Page page = heading.take();
  Page boxes{draw_token_strip(strip.spec, layout, in.theme()), {}};
  boxes.figure.width = room.width;
  boxes.figure.height = layout.area.h;
  const bool has_overview = layout.n_visible_rows < layout.n_rows && !in.in_file;
  const float top = above_boxes + (has_overview ? overview_height : 0.0F);
  // Below the words of the heading that explain themselves.
  page.regions.insert(page.regions.begin(),
                      {{0.0F, 0.0F, room.width, top + layout.area.h},
                       SentenceArea{caption_width, layout.first_row, layout.n_visible_rows, layout.n_rows}});
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    if (layout.is_visible(static_cast<int>(i)))
      boxes.regions.push_back({layout.boxes[i], TokenArea{static_cast<int>(i)}});
  }
  if (has_overview) append(page, overview_of(strip.spec, layout, room.width, in.theme()), 0.0F, above_boxes);
  append(page, boxes, 0.0F, top);
  return page;
}

constexpr float between_heads = 8.0F;
constexpr float small_caption = 24.0F;  ///< The height of a small map's name.

/// The rail of heads beside the large map: equal small maps in the fewest columns in which they can be told
/// apart. `aspect` is a map's height divided by its width.
TileGrid rail_of(int n_heads, float height, float aspect) {
  constexpr float max_side = 92.0F;
  constexpr float good_side = 56.0F;
  constexpr float min_side = 24.0F;
  constexpr float max_width = 216.0F;
  TileGrid rail;
  rail.gap = between_heads;
  for (rail.columns = 1; rail.columns <= n_heads; ++rail.columns) {
    const int rows = (n_heads + rail.columns - 1) / rail.columns;
    const float down = (height / static_cast<float>(rows) - small_caption - page_size::spacing) / aspect;
    const auto columns = static_cast<float>(rail.columns);
    const float across = (max_width - between_heads * (columns - 1.0F)) / columns;
    rail.side = std::clamp(down, min_side, max_side);
    const bool is_last = across - between_heads < min_side + between_heads || rail.columns == n_heads;
    if (rail.side < std::min(good_side, across) && !is_last) continue;
    rail.side = std::min(rail.side, std::max(across, min_side));
    break;
  }
  rail.tile_width = rail.side;
  return rail;
}

constexpr MapLook small_look{
    .labels = false, .color_bar = false, .numbers = false, .pins = false, .max_cell = 40.0F};

/// The height of a small map divided by its width: rows per column, but at most 1.
float aspect_of(const PageInputs& in, const StageId& id) {
  const Extent values = in.trace->extent(id);
  if (values.empty()) return 1.0F;
  return std::min(static_cast<float>(values.rows) / static_cast<float>(values.cols), 1.0F);
}

/// Writes what a head does at the right end of the line of its name, abbreviated if there is little space.
void role_beside_name(PageBuilder& page, const RoleWords& role, float name_width, float y) {
  const float room = page.width() - name_width;
  const auto fits = [&](std::string_view text) {
    return page.measure()(text, Font::sans, page_size::small).width <= room;
  };
  const std::string_view said = fits(role.title) ? role.title : role.tag;
  if (said.empty() || !fits(said)) return;
  page.figure().write(std::string(said), {page.width(), y}, page.theme().quiet, page_size::small, Font::sans,
                      HorizontalAnchor::right);
}

Page small_head(const PageInputs& in, PageTools& tools, const HeadValues& values, int head, float side) {
  StageId id = in.at(tile_stage_kind(in));
  id.head = head;
  const int selected = in.session.selection.head;
  const bool chosen = head == (info(id.kind).is_per_group ? in.at(id.kind).head : selected);
  PageBuilder page(in, tools, side);
  const Architecture& a = in.trace->architecture();
  const bool is_shared = info(id.kind).is_per_group;
  std::string name = is_shared ? group_text(a, head, id.layer) : head_label(id.layer, head);
  // The first number alone fits if the columns of the rail are narrow.
  const auto width_in = [&](Font font) { return tools.measure(name, font, page_size::small).width; };
  if (width_in(Font::sans_bold) > side) name = std::to_string(head);
  const std::string mark = head_badge(*in.trace, head_of(id));
  constexpr float apart = 3.0F;
  const float name_y = page.y();
  const float name_width = page.line({{name, chosen ? Font::sans_bold : Font::sans, page_size::small,
                                       chosen ? page.theme().accent : page.theme().quiet},
                                      {mark, Font::sans_bold, page_size::small, page.theme().warning}},
                                     apart);
  // The chosen head's name is bold. The others leave the same room, so that choosing changes no word.
  const float left_for_bold = chosen ? 0.0F : width_in(Font::sans_bold) - width_in(Font::sans);
  const RoleWords role = is_shared ? RoleWords{} : role_words(values, {id.layer, head});
  role_beside_name(page, role, name_width + left_for_bold + apart, name_y);
  constexpr float min_height = 16.0F;
  const float height = std::max(min_height, side * aspect_of(in, id));
  const float top = page.y();
  page.page().regions.push_back({{0.0F, top, side, height}, HeadIndex{in.session.selection.layer, head}});
  const std::string slot = "small head " + std::to_string(head);
  page.add(map_page(in, tools, slot, id, side, height, small_look));
  const Box& drawn = tools.memo.maps[slot].layout.cells;
  strike_out_if_off(*in.trace, head_of(id), {drawn.x, top + drawn.y, drawn.w, drawn.h}, page.theme(),
                    page.figure());
  if (chosen) {
    constexpr float border = 2.0F;
    // A map with few cells is smaller than its room.
    const Box& cells = tools.memo.maps[slot].layout.cells;
    const float width = cells.w > 0.0F ? cells.right() : side;
    const float framed = cells.h > 0.0F ? cells.bottom() : height;
    add_frame(page.figure(), {-border, top - border, width + 2.0F * border, framed + 2.0F * border},
              page.theme().accent, border, 4.0F);
  }
  return page.take();
}

/// The heads that have a map. If a group shares the stage, this is the first head of each group.
std::vector<int> heads_with_maps(const PageInputs& in) {
  const Architecture& a = in.trace->architecture();
  const int step =
      info(tile_stage_kind(in)).is_per_group ? a.group_size(in.at(tile_stage_kind(in)).layer) : 1;
  std::vector<int> heads;
  heads.reserve(static_cast<std::size_t>(a.n_heads));
  for (int head = 0; head < a.n_heads; head += step) heads.push_back(head);
  return heads;
}

Page rail_page(const PageInputs& in, const TileGrid& rail, const std::vector<int>& heads, PageTools& tools) {
  PageBuilder page(in, tools, rail.width(rail.columns));
  const HeadValues values = cheap_head_values(in, tools);
  const int columns = in.trace->extent(in.at(tile_stage_kind(in))).cols;
  const float side = whole_cells(rail.side, columns);
  std::vector<Page> maps;
  for (const int head : heads) maps.push_back(small_head(in, tools, values, head, side));
  page.add_rows(maps, static_cast<std::size_t>(rail.columns), side + between_heads);
  return page.take();
}

/// Draws the selected stage as high as the room. With details, its shape and its formula stand above it.
void add_large_map(const PageInputs& in, float height, PageTools& tools, PageBuilder& page) {
  const float bottom = page.y() + height;
  const StageId stage = in.at(in.session.selection.stage);
  if (in.session.picture.details) shape_line(page, in, stage);
  if (const std::string covered = cover_statement(in, stage, tools); !covered.empty())
    page.line({{covered, Font::sans_bold, page_size::control, page.theme().accent}});
  // On a slide, the map fills its place, so its cells need not be square.
  const MapLook look{.zoomable = true,
                     .frames_row = true,
                     .centered = true,
                     .max_cell = in.is_slide ? 112.0F : 72.0F,
                     .max_cell_height = in.is_slide ? 72.0F : 0.0F};
  page.add(map_page(in, tools, "large", stage, page.width(), std::max(bottom - page.y(), 8.0F), look));
}

}  // namespace

int n_before_queries(const PageInputs& in) {
  if (in.session.selection.attention == AttentionKind::self) return 0;
  return static_cast<int>(in.trace->tokens(Stack::encoder).size());
}

Page explore_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  constexpr float gap = 24.0F;
  // On a narrower page, the lines and the map take the full width.
  const float narrow = in.asks_for_head ? 480.0F : in.is_slide ? 720.0F : 560.0F;
  // Lines between two sentences need the full width; otherwise, their rows would wrap.
  const bool is_cross = in.session.selection.attention == AttentionKind::cross;
  const float one_row =
      std::clamp(size.height * 0.2F, 108.0F, 180.0F) - (strip_shows_numbers(in) ? 0.0F : 18.0F);
  // At most a quarter of the window, including the bars around the page.
  constexpr float bars = 200.0F;
  // A file cannot be scrolled, so it has all rows of a sentence that is not very long.
  constexpr float many_rows = 700.0F;
  const float most = in.in_file ? many_rows : std::max(one_row, 0.25F * (size.height + bars));
  const StripRoom strip{size.width, one_row, most};
  PageBuilder whole(in, tools, size.width);
  if (is_cross) whole.add(strip_page(in, strip, tools));
  const float height = size.height - whole.y();
  // In a low room, the page is higher than the room, so that its map stays readable.
  constexpr float least = 220.0F;
  constexpr float instead = 400.0F;
  const float room = height >= least ? height : instead;
  const std::vector<int> heads = heads_with_maps(in);
  const float aspect = std::max(aspect_of(in, in.at(tile_stage_kind(in))), 0.05F);
  const TileGrid rail = rail_of(static_cast<int>(heads.size()), room, aspect);
  const bool has_rail = size.width > narrow && heads.size() > 1;
  const float left = has_rail ? rail.width(rail.columns) + gap : 0.0F;
  const float width = size.width - left;
  PageBuilder page(in, tools, width);
  const auto add_strip = [&] {
    if (!is_cross) page.add(strip_page(in, {width, strip.one_row, strip.most}, tools));
  };
  // Where the map could only begin below the sentence's lines, it comes first.
  const bool is_low = !in.in_file && height < least;
  if (!is_low) add_strip();
  const float rest = room - page.y();
  // A narrow figure may be higher, so that the map has all of its labels.
  const float enough = in.in_file && size.width <= narrow ? std::min(width, instead) : least;
  add_large_map(in, rest >= enough ? rest : instead, tools, page);
  if (is_low) add_strip();
  Page below = has_rail ? rail_page(in, rail, heads, tools) : Page{};
  append(below, page.take(), left, 0.0F);
  whole.add(below);
  return whole.take();
}

}  // namespace headscope
