#include <algorithm>
#include <cmath>

#include "core/figure/text_fit.h"
#include "core/figure/token_strip.h"
#include "core/figure/token_strip_metrics.h"

namespace headscope {
namespace {

using namespace token_strip_metrics;

struct Place {
  int row = 0;
  float x = 0.0F, width = 0.0F;
};

/// Places boxes one after the other. A new row begins if a box does not fit, and with the second sentence.
std::vector<Place> wrap(const std::vector<float>& widths, float room, int first_of_second) {
  std::vector<Place> places;
  Place next;
  for (const float width : widths) {
    const bool begins = first_of_second > 0 && static_cast<int>(places.size()) == first_of_second;
    if (begins || (next.x > 0.0F && next.x + width > room)) next = {next.row + 1, 0.0F, 0.0F};
    places.push_back({next.row, next.x, width});
    next.x += width + box_gap;
  }
  return places;
}

float row_width(const std::vector<Place>& places, int row) {
  float width = 0.0F;
  for (const Place& place : places) {
    if (place.row == row) width = std::max(width, place.x + place.width);
  }
  return width;
}

/// The texts and the widths of the boxes at a font size.
struct Boxes {
  std::vector<std::string> texts;
  std::vector<float> widths;
};

/// The least width of a token's box in which its id does not touch those of its neighbours.
float id_room(const TokenStripSpec& spec, std::size_t token, const MeasureText& measure) {
  if (!spec.draws_ids() || token >= spec.ids.size()) return 0.0F;
  return measure(id_text(spec.ids[token]), Font::mono, id_size).width;
}

Boxes boxes_at(const TokenStripSpec& spec, float font_size, float room, const MeasureText& measure) {
  Boxes boxes;
  const float longest = std::min(longest_text, std::max(0.0F, room - 2.0F * padding));
  const float sides = 2.0F * padding * font_size / spec.font_size;
  for (const std::string& token : spec.tokens) {
    // The selected token is bold. Every box has space for bold text, so that nothing moves with the
    // selection.
    std::string text = fitted_text(token, longest, Font::sans_bold, font_size, measure);
    const float text_width = measure(text, Font::sans_bold, font_size).width + sides;
    boxes.widths.push_back(
        std::ceil(std::max({least_box, text_width, id_room(spec, boxes.texts.size(), measure)})));
    boxes.texts.push_back(std::move(text));
  }
  return boxes;
}

/// Reduces the font size before it uses a second row for a sentence, because lines between rows are harder to
/// follow.
Boxes choose_boxes(const TokenStripSpec& spec, float room, const MeasureText& measure, float& font_size) {
  const float least = std::min(smallest_font, spec.font_size);
  const auto n = static_cast<int>(spec.tokens.size());
  const int longer = std::max(spec.first_of_second, n - spec.first_of_second);
  const int last_row = spec.first_of_second > 0 ? 1 : 0;
  const bool may_fit = static_cast<float>(longer) * least_box <= room;
  for (font_size = spec.font_size; may_fit && font_size >= least; font_size -= 1.0F) {
    Boxes boxes = boxes_at(spec, font_size, room, measure);
    if (wrap(boxes.widths, room, spec.first_of_second).back().row <= last_row) return boxes;
  }
  font_size = std::min(spec.font_size, font_in_rows);
  return boxes_at(spec, font_size, room, measure);
}

struct RowHeights {
  float box = 0.0F, numbers = 0.0F;
  float all() const { return box + numbers; }
};

RowHeights heights_of(const TokenStripSpec& spec, float font_size) {
  constexpr float below = 2.0F;  // Keeps the edge of a box inside its row.
  const float numbers = index_line + number_gap + (spec.draws_ids() ? id_line : 0.0F);
  return {box_height_for(font_size), spec.shows_numbers ? numbers : below};
}

int rows_that_fit(const TokenStripLayout& layout) {
  int rows = 1;
  while (rows < layout.n_rows && layout.height_of(rows + 1) <= layout.area.h) ++rows;
  return rows;
}

/// The top of the first visible row, and the distance between rows.
struct RowPlaces {
  float top = 0.0F, pitch = 0.0F;
};

/// A single row stands at the bottom, below its arcs. The rows of two sentences are spread over the full
/// height to leave space for their lines.
RowPlaces place_rows(const TokenStripLayout& layout, const RowHeights& heights) {
  const Box& area = layout.area;
  if (layout.n_rows == 1) return {area.bottom() - heights.all(), layout.row_height};
  if (!layout.two_sentences) return {area.y + row_gap, layout.row_height};
  const float rest = area.h - layout.height_of(layout.n_visible_rows);
  const auto gaps = static_cast<float>(std::max(layout.n_visible_rows - 1, 1));
  return {area.y, layout.row_height + std::max(rest, 0.0F) / gaps};
}

}  // namespace

TokenStripLayout layout_token_strip(const TokenStripSpec& spec, Box area, const MeasureText& measure) {
  TokenStripLayout layout;
  layout.area = area;
  layout.font_size = spec.font_size;
  if (spec.tokens.empty()) return layout;
  Boxes boxes = choose_boxes(spec, area.w, measure, layout.font_size);
  layout.texts = std::move(boxes.texts);
  const std::vector<Place> places = wrap(boxes.widths, area.w, spec.first_of_second);
  layout.n_rows = places.back().row + 1;
  layout.two_sentences = spec.first_of_second > 0;
  const RowHeights heights = heights_of(spec, layout.font_size);
  layout.row_height = heights.all() + (layout.two_sentences ? sentence_gap : row_gap);
  layout.n_visible_rows = rows_that_fit(layout);
  layout.first_row = std::clamp(spec.first_row, 0, layout.n_rows - layout.n_visible_rows);
  const RowPlaces rows = place_rows(layout, heights);
  const bool centered = layout.n_rows == (layout.two_sentences ? 2 : 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    const float rest = centered ? std::max(0.0F, area.w - row_width(places, place.row)) : 0.0F;
    const float numbers = static_cast<int>(i) < spec.first_of_second ? heights.numbers : 0.0F;
    const float y = rows.top + static_cast<float>(place.row - layout.first_row) * rows.pitch + numbers;
    layout.boxes.push_back(
        {area.x + std::floor(0.5F * rest) + place.x, std::floor(y), place.width, heights.box});
    layout.rows.push_back(place.row);
  }
  return layout;
}

float TokenStripLayout::height_of(int shown_rows) const {
  const float all = static_cast<float>(shown_rows) * row_height;
  return two_sentences ? all - sentence_gap : all;
}

bool TokenStripLayout::is_visible(int token) const {
  const int row = rows[static_cast<std::size_t>(token)];
  return row >= first_row && row < first_row + n_visible_rows;
}

std::optional<int> TokenStripLayout::token_at(Point point) const {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const int token = static_cast<int>(i);
    if (is_visible(token) && boxes[i].contains(point)) return token;
  }
  return std::nullopt;
}

}  // namespace headscope
