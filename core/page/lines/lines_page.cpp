#include "core/page/lines/lines_page.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"
#include "core/page/parts/page_builder.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

struct LineDrawing {
  const PageInputs& in;
  const PageTools& tools;
  const ShownLines& shown;
  std::vector<Color> colors;  ///< One colour per drawn head.
  DrawnTokens query_tokens, key_tokens;
  std::vector<std::uint8_t> hidden;  ///< One value per drawn key. If empty, no key is hidden.

  const Theme& theme() const { return in.theme(); }
  bool is_cross() const { return in.session.selection.attention == AttentionKind::cross; }
  const std::vector<std::string>& texts(bool of_keys) const {
    return of_keys ? key_tokens.texts : query_tokens.texts;
  }
  /// What a click on a drawn token means.
  LineToken line_token(bool is_key, int drawn) const {
    return {is_key, (is_key ? key_tokens : query_tokens).token_of(drawn)};
  }
  // Token indices are those of drawn tokens.
  bool is_picked(bool is_key, int token) const {
    return shown.from.are_keys == is_key && std::ranges::binary_search(shown.from.tokens, token);
  }
  /// The selected query, if the lines of all tokens are drawn: its own lines stand out.
  std::optional<int> followed() const {
    const Selection& selection = in.session.selection;
    if (!shown.from.tokens.empty() || !selection.token) return std::nullopt;
    const int drawn = query_tokens.place_of(*selection.token);
    return drawn < static_cast<int>(query_tokens.texts.size()) ? std::optional(drawn) : std::nullopt;
  }
  bool is_hidden(int key) const { return !hidden.empty() && hidden[static_cast<std::size_t>(key)] != 0; }
  /// The weights between a token and the picked tokens, averaged over the heads. Empty on the side of the
  /// picked tokens, or if none are picked.
  std::optional<float> share(bool is_key, int token) const {
    const std::vector<std::vector<float>>& shares = shown.found->shares;
    if (shares.empty() || shown.from.are_keys == is_key) return std::nullopt;
    float sum = 0.0F;
    for (const std::vector<float>& head : shares) sum += head[static_cast<std::size_t>(token)];
    return sum / static_cast<float>(shares.size());
  }
  /// The position within a token, from −0.5 to 0.5, at which a head's lines end. Keeps heads apart.
  float offset(int head) const {
    const auto n = static_cast<float>(colors.size());
    return n < 2.0F ? 0.0F : static_cast<float>(head) / (n - 1.0F) - 0.5F;
  }
};

/// A token's box with its text, which responds to the mouse.
struct TokenBox {
  Box box;
  Box room;  ///< The space for the text inside the box.
  std::string_view text;
  bool is_key = false;
  int token = 0;
  float font_size = 13.0F;
  HorizontalAnchor align = HorizontalAnchor::center;
};

/// The colour and thickness of a line. Both depend on its weight, not on the number of heads; while a query
/// is followed, the lines of the others are paler.
Color line_color(const LineDrawing& drawing, const AttentionLine& line) {
  constexpr float of_others = 0.35F;
  const float weight = std::clamp(line.weight, 0.0F, 1.0F);
  const float opacity = 0.15F + 0.85F * std::sqrt(weight);
  return with_opacity(drawing.colors[static_cast<std::size_t>(line.head)],
                      drawing.followed().value_or(line.query) == line.query ? opacity : of_others * opacity);
}

float line_thickness(const AttentionLine& line) {
  return 1.0F + 4.0F * std::clamp(line.weight, 0.0F, 1.0F);
}

/// The share of a token's lines, such as "0.310". Empty if there is none.
std::string text_of_share(const LineDrawing& drawing, bool is_key, int token) {
  const auto share = drawing.share(is_key, token);
  if (!share || *share < small_share) return {};
  return rounded_text(static_cast<double>(*share));
}

void draw_token_box(const LineDrawing& drawing, const TokenBox& token, Page& page) {
  const Theme& theme = drawing.theme();
  Figure& figure = page.figure;
  const bool is_picked = drawing.is_picked(token.is_key, token.token);
  const bool is_hidden = token.is_key && drawing.is_hidden(token.token);
  float share = std::clamp(drawing.share(token.is_key, token.token).value_or(0.0F), 0.0F, 1.0F);
  if (share < small_share) share = 0.0F;
  constexpr float rounding = 4.0F;
  Color ground = theme.panel;
  if (share > 0.0F) ground = mixed(theme.panel, theme.accent, 0.05F + 0.45F * share);
  if (is_picked) ground = theme.accent;
  Color text = is_hidden ? theme.quiet : theme.text;
  if (!token.is_key && drawing.followed() == token.token) text = theme.accent;
  if (is_picked) text = theme.panel;
  if (is_picked || share > 0.0F) add_box(figure, token.box, ground, rounding);
  constexpr float padding = 5.0F;
  const std::string fitting = elided_text(token.text, token.room.w - 2.0F * padding, Font::sans,
                                          token.font_size, drawing.tools.measure);
  const float middle = token.room.y + 0.5F * token.room.h;
  const float width = drawing.tools.measure(fitting, Font::sans, token.font_size).width;
  float left = token.room.x + padding;
  if (token.align == HorizontalAnchor::center) left = token.room.x + 0.5F * (token.room.w - width);
  if (token.align == HorizontalAnchor::right) left = token.room.right() - padding - width;
  add_text(figure, fitting, {left, middle}, text, token.font_size);
  if (is_hidden) add_line(figure, {left - 2.0F, middle}, {left + width + 2.0F, middle}, text, 1.0F);
  page.regions.push_back({token.box, drawing.line_token(token.is_key, token.token)});
}

constexpr float header = 20.0F;
constexpr float share_width = 52.0F;  ///< Of "0.999", and more.
constexpr float between_boxes = 1.0F;

/// The positions of the tokens in two columns.
struct ColumnPlaces {
  float row = 0.0F;  ///< The height of a token.
  float font_size = 0.0F;
  float cell = 0.0F;     ///< The width of a head's share beside the tokens. 0 if these cells are not drawn.
  float outside = 0.0F;  ///< The width of all shares.
  float text_width = 0.0F;
  float width = 0.0F;
  float left_end() const { return outside + text_width; }
  float right_begin() const { return width - outside - text_width; }
  float middle_of(int token) const { return header + (static_cast<float>(token) + 0.5F) * row; }
};

ColumnPlaces places_of(const LineDrawing& drawing, const PageSize& size) {
  constexpr float min_row = 16.0F;
  constexpr float max_row = 56.0F;
  constexpr float padding = 12.0F;
  constexpr std::size_t max_cells = 24;
  ColumnPlaces places;
  const auto n =
      static_cast<float>(std::max({drawing.texts(false).size(), drawing.texts(true).size(), std::size_t{1}}));
  places.width = size.width;
  places.row = std::clamp(std::floor((size.height - header) / n), min_row, max_row);
  places.font_size = std::clamp(0.62F * places.row, 11.0F, 18.0F);
  const std::size_t n_heads = drawing.colors.size();
  if (n_heads > 1 && n_heads <= max_cells) places.cell = n_heads <= 8 ? 9.0F : 6.0F;
  places.outside =
      share_width + places.cell * static_cast<float>(n_heads) + (places.cell > 0.0F ? 6.0F : 0.0F);
  places.outside = std::min(places.outside, 0.25F * size.width);
  const auto widest = [&](bool of_keys) {
    return widest_text(drawing.texts(of_keys), Font::sans, places.font_size, drawing.tools.measure);
  };
  places.text_width =
      std::min(std::ceil(std::max(widest(false), widest(true))) + padding, 0.22F * size.width);
  return places;
}

/// Draws the share of each head as a cell of its colour, and their mean as a number.
void draw_shares(const LineDrawing& drawing, const ColumnPlaces& places, bool is_key, int token, Page& page) {
  const std::string text = text_of_share(drawing, is_key, token);
  const float middle = places.middle_of(token);
  const auto n_heads = static_cast<float>(drawing.colors.size());
  const float cells = places.cell * n_heads;
  const float cells_left = is_key ? places.width - places.outside + 6.0F : places.outside - 6.0F - cells;
  if (drawing.share(is_key, token) && places.cell > 0.0F) {
    const float side = std::min(places.row - 4.0F, 14.0F);
    for (std::size_t head = 0; head < drawing.colors.size(); ++head) {
      const float share = drawing.shown.found->shares[head][static_cast<std::size_t>(token)];
      if (!(share > 0.0F)) continue;
      const Box box{cells_left + places.cell * static_cast<float>(head), middle - 0.5F * side,
                    places.cell - 1.0F, side};
      add_box(page.figure, box, with_opacity(drawing.colors[head], std::clamp(share, 0.0F, 1.0F)));
    }
  }
  if (text.empty()) return;
  add_text(page.figure, text, {is_key ? places.width : 0.0F, middle}, drawing.theme().text, page_size::small,
           Font::mono, is_key ? HorizontalAnchor::right : HorizontalAnchor::left);
}

void draw_column(const LineDrawing& drawing, const ColumnPlaces& places, bool is_key, Page& page) {
  const std::vector<std::string>& texts = drawing.texts(is_key);
  const float x = is_key ? places.right_begin() : places.outside;
  const char* title = is_key ? (drawing.is_cross() ? "source (keys)" : "keys")
                             : (drawing.is_cross() ? "target (queries)" : "queries");
  // Above short words, the title begins or ends at the edge of the page.
  const float title_width = drawing.tools.measure(title, Font::sans, page_size::small).width;
  const float title_left = is_key ? std::min(x + 5.0F, places.width - title_width)
                                  : std::max(places.left_end() - 5.0F - title_width, 0.0F);
  add_text(page.figure, title, {title_left, 0.5F * header - 2.0F}, drawing.theme().quiet, page_size::small);
  for (int token = 0; token < static_cast<int>(texts.size()); ++token) {
    const Box box{x, places.middle_of(token) - 0.5F * places.row + between_boxes, places.text_width,
                  places.row - 2.0F * between_boxes};
    draw_token_box(drawing,
                   {box, box, texts[static_cast<std::size_t>(token)], is_key, token, places.font_size,
                    is_key ? HorizontalAnchor::left : HorizontalAnchor::right},
                   page);
    draw_shares(drawing, places, is_key, token, page);
  }
}

struct LineEnd {
  std::string_view text;
  bool is_key = false;  ///< It is a token of the source. Used only if the source and target differ.
  int token = 0;
  float from = 0.0F, extent = 0.0F;  ///< Position and length along the line.
  float middle() const { return from + 0.5F * extent; }
};

/// The line of tokens, which runs across or downwards. `along` is measured in the direction of the tokens,
/// and `aside` from the line towards the arcs.
struct ArcPlaces {
  bool is_down = false;
  std::vector<LineEnd> ends;
  int first_query = 0;     ///< Index of the first query in `ends`.
  float length = 0.0F;     ///< The length of the line.
  float base = 0.0F;       ///< Where the boxes begin, perpendicular to the line.
  float thickness = 0.0F;  ///< The thickness of the boxes.
  float room_earlier = 0.0F, room_later = 0.0F;
  float font_size = 14.0F;

  Point at(float along, float aside, bool is_earlier) const {
    if (is_down) return {is_earlier ? base + thickness + aside : base - aside, along};
    return {along, is_earlier ? base - aside : base + thickness + aside};
  }
};

constexpr float arc_share_width =
    56.0F;  ///< Width of the share beside a token's text if the line runs downwards.
constexpr float arc_share_height = 16.0F;  ///< Height of the share below the box if the line runs across.
constexpr float between_ends = 4.0F;
constexpr float text_room = 24.0F;  ///< The height of the tokens.

std::vector<LineEnd> ends_of(const LineDrawing& drawing, ArcPlaces& places) {
  std::vector<LineEnd> ends;
  const auto add = [&](bool are_keys) {
    const std::vector<std::string>& texts = drawing.texts(are_keys);
    for (std::size_t i = 0; i < texts.size(); ++i)
      ends.push_back({texts[i], are_keys, static_cast<int>(i), 0.0F, 0.0F});
  };
  if (drawing.is_cross()) add(true);
  places.first_query = static_cast<int>(ends.size());
  add(false);
  return ends;
}

/// Places the tokens, beginning at `start`. Returns the end of the line.
template <class ExtentOf>
float place_ends(ArcPlaces& places, float start, const ExtentOf& extent_of) {
  constexpr float between_sentences = 24.0F;
  float at = start;
  for (std::size_t i = 0; i < places.ends.size(); ++i) {
    if (i > 0 && static_cast<int>(i) == places.first_query) at += between_sentences;
    places.ends[i].from = at;
    places.ends[i].extent = extent_of(places.ends[i]);
    at += places.ends[i].extent + between_ends;
  }
  return at - between_ends;
}

bool has_later(const LineDrawing& drawing) {
  return !drawing.is_cross() &&
         std::ranges::any_of(drawing.shown.found->lines,
                             [](const AttentionLine& line) { return line.key > line.query; });
}

ArcPlaces places_of_arcs(const LineDrawing& drawing, const PageSize& size) {
  constexpr float padding = 14.0F;
  constexpr float min_arc_height = 60.0F;
  ArcPlaces places;
  places.ends = ends_of(drawing, places);
  const auto width_of = [&](const LineEnd& end) {
    return std::ceil(drawing.tools.measure(end.text, Font::sans, places.font_size).width) + padding;
  };
  const auto across = [&](const LineEnd& end) { return std::max(width_of(end), arc_share_width); };
  places.length = place_ends(places, 0.0F, across);
  const bool looks_ahead = has_later(drawing);
  places.is_down = places.length > size.width;
  if (!places.is_down) {
    place_ends(places, std::floor(0.5F * (size.width - places.length)), across);
    const float arcs = std::max(size.height - text_room - arc_share_height, min_arc_height);
    places.room_earlier = std::min(looks_ahead ? 0.5F * arcs : arcs, 0.45F * places.length);
    places.room_later = looks_ahead ? places.room_earlier : 0.0F;
    places.thickness = text_room;
    places.base = places.room_earlier;
    return places;
  }
  constexpr float max_text = 0.3F;
  constexpr float row = 18.0F;
  places.font_size = 12.0F;
  for (const LineEnd& end : places.ends) places.thickness = std::max(places.thickness, width_of(end));
  places.thickness = std::min(places.thickness, max_text * size.width) + arc_share_width;
  places.length = place_ends(places, 0.0F, [](const LineEnd&) { return row - between_ends; });
  const float arcs = std::max(size.width - places.thickness, min_arc_height);
  places.room_earlier = looks_ahead ? 0.5F * arcs : arcs;
  places.room_later = arcs - places.room_earlier;
  places.base = places.room_later;
  return places;
}

/// An arc whose height grows with its length. A cubic curve reaches three quarters of the distance to its
/// control points.
Curve arc_between(const ArcPlaces& places, const LineEnd& query, const LineEnd& key, float shift) {
  const float from = query.middle() + shift;
  const float to = key.middle() + shift;
  const bool is_earlier = to <= from;
  const float room = std::max(is_earlier ? places.room_earlier : places.room_later, 1.0F);
  const auto curve = [&](float begin, float end, float foot, float reach, float away) -> Curve {
    return {places.at(begin - foot, 0.0F, is_earlier),
            places.at(begin - reach, away, is_earlier),
            places.at(end + reach, away, is_earlier),
            places.at(end + foot, 0.0F, is_earlier),
            {},
            1.0F};
  };
  if (&query == &key)
    return curve(from, from, 4.0F, std::min(16.0F, 0.4F * query.extent), std::min(24.0F, room));
  return curve(from, to, 0.0F, 0.0F, room * (1.0F - std::exp(-std::abs(to - from) / (1.2F * room))) / 0.75F);
}

/// Writes the share at a token: in its box or, if the line runs across, below it and over the arcs. If a
/// token is both a query and a key, it shows the share of the side that is not picked.
void draw_share(const LineDrawing& drawing, const ArcPlaces& places, const LineEnd& end, const Box& box,
                Page& page) {
  const bool is_key = drawing.is_cross() ? end.is_key : !drawing.shown.from.are_keys;
  const std::string text = text_of_share(drawing, is_key, end.token);
  if (text.empty()) return;
  const Theme& theme = drawing.theme();
  constexpr float padding = 5.0F;
  if (places.is_down) {
    const bool is_on_accent =
        drawing.is_picked(drawing.is_cross() ? end.is_key : drawing.shown.from.are_keys, end.token);
    add_text(page.figure, text, {box.right() - padding, box.y + 0.5F * box.h},
             is_on_accent ? theme.panel : theme.text, page_size::small, Font::mono, HorizontalAnchor::right);
    return;
  }
  const float width = drawing.tools.measure(text, Font::mono, page_size::small).width + padding;
  constexpr float apart = 2.0F;
  const Box ground{end.middle() - 0.5F * width, box.bottom() + apart, width, arc_share_height - apart};
  add_box(page.figure, ground, theme.panel, 2.0F);
  add_text(page.figure, text, {end.middle(), ground.y + 0.5F * ground.h}, theme.text, page_size::small,
           Font::mono, HorizontalAnchor::center);
}

Page line_columns(const LineDrawing& drawing, const PageSize& size) {
  const ColumnPlaces places = places_of(drawing, size);
  Page page;
  page.figure.background = drawing.theme().panel;
  constexpr float spread = 0.7F;
  for (const AttentionLine& line : drawing.shown.found->lines) {
    const float shift = drawing.offset(line.head) * spread * places.row;
    add_line(page.figure, {places.left_end(), places.middle_of(line.query) + shift},
             {places.right_begin(), places.middle_of(line.key) + shift}, line_color(drawing, line),
             line_thickness(line));
  }
  constexpr bool of_queries = false;
  constexpr bool of_keys = true;
  draw_column(drawing, places, of_queries, page);
  draw_column(drawing, places, of_keys, page);
  const auto n =
      static_cast<float>(std::max(drawing.texts(of_queries).size(), drawing.texts(of_keys).size()));
  page.figure.width = size.width;
  page.figure.height = std::ceil(header + n * places.row);
  return page;
}

/// Draws the lines as arcs over a single line of tokens, which is horizontal if they fit and vertical
/// otherwise. Arcs to earlier tokens lie above or right of the line, arcs to later tokens below or left.
Page line_arcs(const LineDrawing& drawing, const PageSize& size) {
  const ArcPlaces places = places_of_arcs(drawing, size);
  Page page;
  page.figure.background = drawing.theme().panel;
  constexpr float max_spread = 12.0F;
  for (const AttentionLine& line : drawing.shown.found->lines) {
    const LineEnd& query =
        places.ends[static_cast<std::size_t>(places.first_query) + static_cast<std::size_t>(line.query)];
    const LineEnd& key = places.ends[static_cast<std::size_t>(line.key)];
    const LineEnd& end = drawing.is_cross() || line.key != line.query ? key : query;
    const float spread = std::min({max_spread, 0.6F * query.extent, 0.6F * key.extent});
    Curve curve = arc_between(places, query, end, drawing.offset(line.head) * spread);
    curve.color = line_color(drawing, line);
    curve.thickness = line_thickness(line);
    page.figure.items.emplace_back(curve);
  }
  for (const LineEnd& end : places.ends) {
    const Box box = places.is_down ? Box{places.base, end.from, places.thickness, end.extent}
                                   : Box{end.from, places.base, end.extent, places.thickness};
    Box of_text = box;
    if (places.is_down) of_text.w -= arc_share_width;  // The share stands beside the text.
    add_box(page.figure, box, drawing.theme().panel, 4.0F);
    // A token that is both a query and a key is drawn as the side whose share it shows.
    const bool is_share_of_key = !drawing.is_cross() && !drawing.shown.from.tokens.empty() &&
                                 !drawing.shown.from.are_keys && !drawing.is_picked(false, end.token);
    const bool is_drawn_as_key =
        drawing.is_cross() ? end.is_key : is_share_of_key || drawing.is_picked(true, end.token);
    draw_token_box(drawing, {box, of_text, end.text, is_drawn_as_key, end.token, places.font_size}, page);
    page.regions.back().meaning = drawing.line_token(drawing.is_cross() && end.is_key, end.token);
    add_frame(page.figure, box, drawing.theme().line, 1.0F, 4.0F);
    draw_share(drawing, places, end, box, page);
  }
  page.figure.width = size.width;
  const float below = std::max(places.room_later, arc_share_height);
  page.figure.height = std::ceil(places.is_down ? places.length : places.base + places.thickness + below);
  return page;
}

/// Explains the two sides of the line. Empty for two sentences.
std::string arcs_note(const LineDrawing& drawing, const PageSize& size) {
  if (drawing.is_cross()) return {};
  if (!has_later(drawing)) return "Each arc points back to a token that is looked at.";
  return places_of_arcs(drawing, size).is_down ? "Arcs on the right point back, arcs on the left ahead."
                                               : "Arcs above point back, arcs below ahead.";
}

/// If there are more heads than distinguishable colours, the heads of a layer share one.
constexpr std::size_t max_head_colors = 24;

/// One head has the colour of data, or the accent colour if only the lines of picked tokens are drawn.
std::vector<Color> colors_of(const PageInputs& in, const std::vector<HeadIndex>& heads, bool are_picked) {
  const ThemeName theme = in.session.picture.theme;
  if (heads.size() == 1) return {are_picked ? theme_of(theme).accent : theme_of(theme).data};
  if (heads.size() <= max_head_colors) return distinct_colors(static_cast<int>(heads.size()), theme);
  const std::vector<Color> of_layers = distinct_colors(in.trace->architecture().n_layers, theme);
  std::vector<Color> colors;
  colors.reserve(heads.size());
  for (const HeadIndex& head : heads) colors.push_back(of_layers[static_cast<std::size_t>(head.layer)]);
  return colors;
}

/// Labels with the colours of the drawn heads, and those of the other heads of all layers or, for a large
/// model, of the selected one; for many drawn heads, the labels of their layers. In a file, only those of
/// drawn heads, and none for a single one.
Page chips_page(const PageInputs& in, const PageTools& tools, const std::vector<HeadIndex>& heads,
                const std::vector<Color>& colors, float width) {
  constexpr float height = 22.0F;
  constexpr float mark = 10.0F;
  constexpr float padding = 6.0F;
  constexpr float gap = 4.0F;
  const Theme& theme = in.theme();
  Page page;
  page.figure.background = theme.panel;
  float x = 0.0F;
  float y = 0.0F;
  // `place` is the head that a click concerns, and `color` is null for a head that is not drawn.
  const auto add = [&](const std::string& said, const std::optional<HeadIndex>& place, const Color* color) {
    const float text = std::ceil(tools.measure(said, Font::sans, page_size::control).width);
    const float wide = 3.0F * padding + mark + text;
    if (x > 0.0F && x + wide > width) {
      x = 0.0F;
      y += height + gap;
    }
    const Box box{x, y, wide, height};
    const Box square{x + padding, y + 0.5F * (height - mark), mark, mark};
    if (color != nullptr) {
      add_box(page.figure, box, theme.control, 5.0F);
      add_box(page.figure, square, *color, 2.0F);
    } else {
      add_frame(page.figure, square, theme.quiet, 1.0F, 2.0F);
    }
    add_text(page.figure, said, {square.right() + padding, y + 0.5F * height},
             color != nullptr ? theme.text : theme.quiet, page_size::control);
    if (place) page.regions.push_back({box, *place});
    x += wide + gap;
    page.figure.width = width;
    page.figure.height = y + height;
  };
  if (heads.size() > max_head_colors) {
    std::set<int> layers;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (!layers.insert(heads[i].layer).second) continue;
      const auto n = std::ranges::count(heads, heads[i].layer, &HeadIndex::layer);
      add("layer " + std::to_string(heads[i].layer) + ": " + std::to_string(n), {}, &colors[i]);
    }
    return page;
  }
  if (in.in_file && heads.size() == 1) return page;
  std::set<HeadIndex> places(heads.begin(), heads.end());
  const Architecture& a = in.trace->architecture();
  const int n_layers = a.layers_of(in.session.selection.stack);
  const bool are_few_heads = n_layers * a.n_heads <= static_cast<int>(max_head_colors);
  for (int layer = 0; layer < n_layers && !in.in_file; ++layer) {
    if (!are_few_heads && layer != std::min(in.session.selection.layer, n_layers - 1)) continue;
    for (int head = 0; head < a.n_heads; ++head) places.insert({layer, head});
  }
  for (const HeadIndex& place : places) {
    const auto found = std::ranges::find(heads, place);
    const auto at = static_cast<std::size_t>(found - heads.begin());
    add(head_name(place), place, found == heads.end() ? nullptr : &colors[at]);
  }
  return page;
}

std::string said_heads(const PageInputs& in, const std::vector<HeadIndex>& heads) {
  if (heads.size() > 1) {
    const std::string n = std::to_string(heads.size()) + " heads";
    return heads.size() > max_head_colors ? n + ", a colour for each layer" : n + ", a colour for each";
  }
  return place_text(*in.trace, with_head(in.at(StageKind::weights), heads.front()));
}

}  // namespace

Page lines_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const std::vector<HeadIndex> heads = line_heads(in);
  const ShownLines shown = shown_lines(in, tools);
  const std::vector<Color> colors = colors_of(in, heads, !shown.from.tokens.empty());
  const StageKind kind = line_stage_kind(in);
  const std::string_view dropout = kind == StageKind::dropped ? "" : dropout_text(*in.trace, kind);
  page.line({page.bold(std::string(info(kind).title) + (dropout.empty() ? "" : ", ") + std::string(dropout)),
             page.muted(said_heads(in, heads)), guess_word(*in.trace, in.at(kind), page.theme())},
            12.0F);
  if (const Page chips = chips_page(in, tools, heads, colors, size.width); !chips.figure.items.empty()) {
    page.add(chips);
    page.space(page_size::spacing);
  }
  if (shown.found == nullptr) return page.instead(shown.problem);
  const LineDrawing drawing{in,
                            tools,
                            shown,
                            colors,
                            drawn_tokens(in, Axis::query_tokens),
                            drawn_tokens(in, Axis::key_tokens),
                            hidden_drawn_keys(in)};
  page.paragraph(in.session.lines.arcs ? arcs_note(drawing, size) : "");
  const float said_from = page.y();
  for (const std::string& said : line_statements(in, shown)) page.paragraph(said);
  // Two lines have room always, so that the token under the mouse stays where it is when its numbers are
  // explained.
  const float two_lines =
      std::ceil(2.0F * page.measure()("X", Font::sans, page_size::small).height) + page_size::spacing;
  if (!in.in_file) page.space(std::max(said_from + two_lines - page.y(), 0.0F));
  const PageSize room{size.width, std::max(size.height - page.y(), 8.0F)};
  page.add(in.session.lines.arcs ? line_arcs(drawing, room) : line_columns(drawing, room));
  return page.take();
}

}  // namespace headscope
