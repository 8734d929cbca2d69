#include <algorithm>
#include <cmath>

#include "core/figure/colormap.h"
#include "core/page/lines/line_drawing.h"

namespace headscope {
namespace {

constexpr float header = 20.0F;
constexpr float share_width = 52.0F;  ///< Of "> 0.999".
constexpr float between_boxes = 1.0F;

/// Where the tokens of the two columns are.
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

float widest(const LineDrawing& drawing, float font_size) {
  float most = 0.0F;
  for (const bool of_keys : {false, true}) {
    for (const std::string& text : drawing.texts(of_keys))
      most = std::max(most, drawing.tools.measure(text, Font::sans, font_size).width);
  }
  return most;
}

ColumnPlaces places_of(const LineDrawing& drawing, const PageSize& size) {
  constexpr float least_row = 16.0F;
  constexpr float most_row = 56.0F;
  constexpr float padding = 12.0F;
  constexpr std::size_t most_cells = 24;
  ColumnPlaces places;
  const auto n =
      static_cast<float>(std::max({drawing.texts(false).size(), drawing.texts(true).size(), std::size_t{1}}));
  places.width = size.width;
  places.row = std::clamp(std::floor((size.height - header) / n), least_row, most_row);
  places.font_size = std::clamp(0.62F * places.row, 11.0F, 18.0F);
  const std::size_t n_heads = drawing.colors.size();
  if (n_heads > 1 && n_heads <= most_cells) places.cell = n_heads <= 8 ? 9.0F : 6.0F;
  places.outside =
      share_width + places.cell * static_cast<float>(n_heads) + (places.cell > 0.0F ? 6.0F : 0.0F);
  places.outside = std::min(places.outside, 0.25F * size.width);
  places.text_width = std::min(std::ceil(widest(drawing, places.font_size)) + padding, 0.22F * size.width);
  return places;
}

void draw_lines(const LineDrawing& drawing, const ColumnPlaces& places, Page& page) {
  constexpr float spread = 0.7F;
  for (const AttentionLine& line : drawing.shown.found->lines) {
    const float shift = drawing.offset(line.head) * spread * places.row;
    page.figure.items.emplace_back(Line{{places.left_end(), places.middle_of(line.query) + shift},
                                        {places.right_begin(), places.middle_of(line.key) + shift},
                                        line_color(drawing, line),
                                        line_thickness(line)});
  }
}

/// Draws the share of each head as a cell of its colour, and their mean as a number.
void draw_shares(const LineDrawing& drawing, const ColumnPlaces& places, bool is_key, int token, Page& page) {
  const std::string text = share_text(drawing, is_key, token);
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
      page.figure.items.emplace_back(
          FilledRect{box, with_opacity(drawing.colors[head], std::clamp(share, 0.0F, 1.0F))});
    }
  }
  if (text.empty()) return;
  page.figure.items.emplace_back(Label{text,
                                       {is_key ? places.width : 0.0F, middle},
                                       drawing.theme().text,
                                       page_size::small,
                                       Font::mono,
                                       is_key ? HorizontalAnchor::right : HorizontalAnchor::left,
                                       VerticalAnchor::middle});
}

void draw_column(const LineDrawing& drawing, const ColumnPlaces& places, bool is_key, Page& page) {
  const std::vector<std::string>& texts = drawing.texts(is_key);
  const float x = is_key ? places.right_begin() : places.outside;
  const bool is_cross = drawing.in.session.selection.attention == AttentionKind::cross;
  const char* title =
      is_key ? (is_cross ? "source (keys)" : "keys") : (is_cross ? "target (queries)" : "queries");
  // Above short words, the title begins or ends at the edge of the page.
  const float title_width = drawing.tools.measure(title, Font::sans, page_size::small).width;
  const float title_left = is_key ? std::min(x + 5.0F, places.width - title_width)
                                  : std::max(places.left_end() - 5.0F - title_width, 0.0F);
  page.figure.items.emplace_back(Label{title,
                                       {title_left, 0.5F * header - 2.0F},
                                       drawing.theme().quiet,
                                       page_size::small,
                                       Font::sans,
                                       HorizontalAnchor::left,
                                       VerticalAnchor::middle});
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

}  // namespace

Page line_columns(const LineDrawing& drawing, const PageSize& size) {
  const ColumnPlaces places = places_of(drawing, size);
  Page page;
  page.figure.background = drawing.theme().panel;
  draw_lines(drawing, places, page);
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

}  // namespace headscope
