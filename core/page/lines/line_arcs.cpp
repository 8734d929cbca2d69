#include <algorithm>
#include <cmath>

#include "core/figure/colormap.h"
#include "core/page/lines/line_drawing.h"

namespace headscope {
namespace {

/// A token on the line.
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
  const bool is_cross = drawing.in.session.selection.attention == AttentionKind::cross;
  const auto add = [&](bool are_keys) {
    const std::vector<std::string>& texts = drawing.texts(are_keys);
    for (std::size_t i = 0; i < texts.size(); ++i)
      ends.push_back({texts[i], are_keys, static_cast<int>(i), 0.0F, 0.0F});
  };
  if (is_cross) add(true);
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
  return drawing.in.session.selection.attention == AttentionKind::self &&
         std::ranges::any_of(drawing.shown.found->lines,
                             [](const AttentionLine& line) { return line.key > line.query; });
}

ArcPlaces places_of_arcs(const LineDrawing& drawing, const PageSize& size) {
  constexpr float padding = 14.0F;
  constexpr float least_arcs = 60.0F;
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
    const float arcs = std::max(size.height - text_room - arc_share_height, least_arcs);
    places.room_earlier = std::min(looks_ahead ? 0.5F * arcs : arcs, 0.45F * places.length);
    places.room_later = looks_ahead ? places.room_earlier : 0.0F;
    places.thickness = text_room;
    places.base = places.room_earlier;
    return places;
  }
  constexpr float most_text = 0.3F;
  constexpr float row = 18.0F;
  places.font_size = 12.0F;
  for (const LineEnd& end : places.ends) places.thickness = std::max(places.thickness, width_of(end));
  places.thickness = std::min(places.thickness, most_text * size.width) + arc_share_width;
  places.length = place_ends(places, 0.0F, [](const LineEnd&) { return row - between_ends; });
  const float arcs = std::max(size.width - places.thickness, least_arcs);
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
  if (&query == &key) {
    const float reach = std::min(16.0F, 0.4F * query.extent);
    const float away = std::min(24.0F, room);
    return {places.at(from - 4.0F, 0.0F, true),
            places.at(from - reach, away, true),
            places.at(from + reach, away, true),
            places.at(from + 4.0F, 0.0F, true),
            {},
            1.0F};
  }
  const float away = room * (1.0F - std::exp(-std::abs(to - from) / (1.2F * room))) / 0.75F;
  return {places.at(from, 0.0F, is_earlier),
          places.at(from, away, is_earlier),
          places.at(to, away, is_earlier),
          places.at(to, 0.0F, is_earlier),
          {},
          1.0F};
}

void draw_arcs(const LineDrawing& drawing, const ArcPlaces& places, Page& page) {
  constexpr float most_spread = 12.0F;
  const bool is_cross = drawing.in.session.selection.attention == AttentionKind::cross;
  for (const AttentionLine& line : drawing.shown.found->lines) {
    const LineEnd& query =
        places.ends[static_cast<std::size_t>(places.first_query) + static_cast<std::size_t>(line.query)];
    const LineEnd& key = places.ends[static_cast<std::size_t>(line.key)];
    const LineEnd& end = is_cross || line.key != line.query ? key : query;
    const float spread = std::min({most_spread, 0.6F * query.extent, 0.6F * key.extent});
    Curve curve = arc_between(places, query, end, drawing.offset(line.head) * spread);
    curve.color = line_color(drawing, line);
    curve.thickness = line_thickness(line);
    page.figure.items.emplace_back(curve);
  }
}

/// The box of a token's text, beside which its share stands if the line runs downwards.
Box text_of_end(const ArcPlaces& places, const Box& box) {
  return places.is_down ? Box{box.x, box.y, box.w - arc_share_width, box.h} : box;
}

/// Writes the share at a token: in its box or, if the line runs across, below it and over the arcs. If a
/// token is both a query and a key, it shows the share of the side that is not picked.
void draw_share(const LineDrawing& drawing, const ArcPlaces& places, const LineEnd& end, const Box& box,
                Page& page) {
  const bool is_cross = drawing.in.session.selection.attention == AttentionKind::cross;
  const bool is_key = is_cross ? end.is_key : !drawing.shown.from.are_keys;
  const std::string text = share_text(drawing, is_key, end.token);
  if (text.empty()) return;
  const Theme& theme = drawing.theme();
  constexpr float padding = 5.0F;
  if (places.is_down) {
    const bool is_on_accent =
        drawing.is_picked(is_cross ? end.is_key : drawing.shown.from.are_keys, end.token);
    page.figure.items.emplace_back(Label{text,
                                         {box.right() - padding, box.y + 0.5F * box.h},
                                         is_on_accent ? theme.panel : theme.text,
                                         page_size::small,
                                         Font::mono,
                                         HorizontalAnchor::right,
                                         VerticalAnchor::middle});
    return;
  }
  const float width = drawing.tools.measure(text, Font::mono, page_size::small).width + padding;
  constexpr float apart = 2.0F;
  const Box ground{end.middle() - 0.5F * width, box.bottom() + apart, width, arc_share_height - apart};
  page.figure.items.emplace_back(FilledRect{ground, theme.panel, 2.0F});
  page.figure.items.emplace_back(Label{text,
                                       {end.middle(), ground.y + 0.5F * ground.h},
                                       theme.text,
                                       page_size::small,
                                       Font::mono,
                                       HorizontalAnchor::center,
                                       VerticalAnchor::middle});
}

}  // namespace

Page line_arcs(const LineDrawing& drawing, const PageSize& size) {
  const ArcPlaces places = places_of_arcs(drawing, size);
  Page page;
  page.figure.background = drawing.theme().panel;
  draw_arcs(drawing, places, page);
  const bool is_cross = drawing.in.session.selection.attention == AttentionKind::cross;
  for (const LineEnd& end : places.ends) {
    const Box box = places.is_down ? Box{places.base, end.from, places.thickness, end.extent}
                                   : Box{end.from, places.base, end.extent, places.thickness};
    page.figure.items.emplace_back(FilledRect{box, drawing.theme().panel, 4.0F});
    // A token that is both a query and a key is drawn as the side whose share it shows.
    const bool is_share_of_key = !is_cross && !drawing.shown.from.tokens.empty() &&
                                 !drawing.shown.from.are_keys && !drawing.is_picked(false, end.token);
    const bool is_drawn_as_key =
        is_cross ? end.is_key : is_share_of_key || drawing.is_picked(true, end.token);
    draw_token_box(drawing,
                   {box, text_of_end(places, box), end.text, is_drawn_as_key, end.token, places.font_size},
                   page);
    page.regions.back().means = drawing.line_token(is_cross && end.is_key, end.token);
    page.figure.items.emplace_back(StrokedRect{box, drawing.theme().line, 1.0F, 4.0F});
    draw_share(drawing, places, end, box, page);
  }
  page.figure.width = size.width;
  const float below = std::max(places.room_later, arc_share_height);
  page.figure.height = std::ceil(places.is_down ? places.length : places.base + places.thickness + below);
  return page;
}

std::string arcs_note(const LineDrawing& drawing, const PageSize& size) {
  if (drawing.in.session.selection.attention == AttentionKind::cross) return {};
  if (!has_later(drawing)) return "Each arc joins a token and an earlier one that it looks at.";
  return places_of_arcs(drawing, size).is_down
             ? "Arcs on the right join a token and an earlier one that it looks at, arcs on the left a later one."
             : "Arcs above the tokens join one and an earlier one that it looks at, arcs below it a later one.";
}

}  // namespace headscope
