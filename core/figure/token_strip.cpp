#include "core/figure/token_strip.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/figure/color_scale.h"
#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"
#include "core/figure/tick_text.h"

namespace headscope {
namespace {

// Distances in figure units that the layout and the drawing share.

constexpr float padding = 12.0F;  ///< Left and right of a token's text.
constexpr float box_gap = 4.0F;
constexpr float min_box = 30.0F;
constexpr float longest_text = 180.0F;
constexpr float smallest_font = 11.0F;  ///< The smallest font that is used to keep tokens in one row.
constexpr float index_size = 11.0F;     ///< The font size of the numbers below the boxes.
constexpr float index_line = index_size * 1.25F;
constexpr float id_size = 10.0F;
constexpr float id_line = id_size * 1.25F;
constexpr float font_in_rows =
    13.0F;  ///< The font size with several rows, chosen so that more of the sentence is visible.
constexpr float row_gap = 22.0F;       ///< Above each of several rows. Lines run through it.
constexpr float sentence_gap = 36.0F;  ///< The least gap between the rows of two sentences.
constexpr float number_gap = 4.0F;     ///< Between a box and its numbers.
constexpr float arc_room = 20.0F;      ///< Kept free above the highest arc, for its number.

/// The text below the number of a token. Padding has no id.
std::string id_text(int id) {
  return id < 0 ? "no id" : "id " + std::to_string(id);
}

/// Places boxes one after the other, from the left edge. A new row begins if a box does not fit, and with the
/// second sentence.
void wrap(const std::vector<float>& widths, int first_of_second, TokenStripLayout& layout) {
  layout.boxes.clear();
  layout.rows.clear();
  int row = 0;
  float x = 0.0F;
  for (const float width : widths) {
    const bool begins = first_of_second > 0 && static_cast<int>(layout.rows.size()) == first_of_second;
    if (begins || (x > 0.0F && x + width > layout.area.w)) {
      ++row;
      x = 0.0F;
    }
    layout.boxes.push_back({x, 0.0F, width, 0.0F});
    layout.rows.push_back(row);
    x += width + box_gap;
  }
}

float row_width(const TokenStripLayout& layout, int row) {
  float width = 0.0F;
  for (std::size_t i = 0; i < layout.boxes.size(); ++i)
    if (layout.rows[i] == row) width = std::max(width, layout.boxes[i].right());
  return width;
}

/// Sets the texts and the boxes of the layout at a font size.
void set_boxes(const TokenStripSpec& spec, float font_size, const MeasureText& measure,
               TokenStripLayout& layout) {
  layout.font_size = font_size;
  layout.texts.clear();
  std::vector<float> widths;
  const float longest = std::min(longest_text, std::max(0.0F, layout.area.w - 2.0F * padding));
  const float sides = 2.0F * padding * font_size / spec.font_size;
  // A long text repeats its words, and measuring takes most of the time.
  std::unordered_map<std::string_view, std::pair<std::string, float>> known;
  for (const std::string& token : spec.tokens) {
    const auto [found, is_new] = known.try_emplace(token);
    auto& [text, width] = found->second;
    if (is_new) {
      // The selected token is bold. Every box has space for bold text, so that nothing moves with the
      // selection.
      text = elided_text(token, longest, Font::sans_bold, font_size, measure);
      width = measure(text, Font::sans_bold, font_size).width + sides;
    }
    // Ids of neighbours must not touch each other.
    const std::size_t i = widths.size();
    const bool has_id = spec.draws_ids() && i < spec.ids.size();
    const float id = has_id ? measure(id_text(spec.ids[i]), Font::mono, id_size).width : 0.0F;
    widths.push_back(std::ceil(std::max({min_box, width, id})));
    layout.texts.push_back(text);
  }
  wrap(widths, spec.first_of_second, layout);
}

/// Reduces the font size before it uses a second row for a sentence, because lines between rows are harder to
/// follow.
void choose_boxes(const TokenStripSpec& spec, const MeasureText& measure, TokenStripLayout& layout) {
  const float least = std::min(smallest_font, spec.font_size);
  const auto n = static_cast<int>(spec.tokens.size());
  const int longer = std::max(spec.first_of_second, n - spec.first_of_second);
  const int last_row = spec.first_of_second > 0 ? 1 : 0;
  const bool may_fit = static_cast<float>(longer) * min_box <= layout.area.w;
  for (float font_size = spec.font_size; may_fit && font_size >= least; font_size -= 1.0F) {
    set_boxes(spec, font_size, measure, layout);
    if (layout.rows.back() <= last_row) return;
  }
  set_boxes(spec, std::min(spec.font_size, font_in_rows), measure, layout);
}

/// The top of the first visible row, whose height is given, and the distance between rows. A single row
/// stands at the bottom, below its arcs. The rows of two sentences are spread over the full height to leave
/// space for their lines.
std::pair<float, float> place_rows(const TokenStripLayout& layout, float height) {
  const Box& area = layout.area;
  if (layout.n_rows == 1) return {area.bottom() - height, layout.row_height};
  if (!layout.two_sentences) return {area.y + row_gap, layout.row_height};
  const float rest = area.h - layout.height_of(layout.n_visible_rows);
  const auto gaps = static_cast<float>(std::max(layout.n_visible_rows - 1, 1));
  return {area.y, layout.row_height + std::max(rest, 0.0F) / gaps};
}

struct Strip {
  const TokenStripSpec& spec;
  const TokenStripLayout& layout;
  const Theme& theme;

  float weight(int token) const {
    const auto i = static_cast<std::size_t>(token);
    return i < spec.weights.size() && std::isfinite(spec.weights[i]) ? spec.weights[i] : 0.0F;
  }
  bool padded(int token) const {
    const auto i = static_cast<std::size_t>(token);
    return i < spec.padded.size() && spec.padded[i];
  }
  bool unknown(int token) const {
    const auto i = static_cast<std::size_t>(token);
    return i < spec.unknown.size() && spec.unknown[i];
  }
  Box box(int token) const { return layout.boxes[static_cast<std::size_t>(token)]; }
  /// The box with the text above it, where its lines end.
  Box with_above(int token) const {
    const Box inner = box(token);
    return {inner.x, inner.y - layout.above, inner.w, inner.h + layout.above};
  }
};

Color ground_of(const Strip& strip, int token) {
  const Theme& theme = strip.theme;
  if (strip.spec.selected == token) return theme.accent;
  if (strip.padded(token)) return theme.control;
  const float weight = std::clamp(strip.weight(token), 0.0F, 1.0F);
  if (!strip.spec.selected || weight < strip.spec.threshold) return theme.panel;
  return mixed(theme.panel, theme.accent, 0.06F + 0.49F * weight);
}

/// Draws the number of a token and, farther from the box, its id. Both stand below the box, but above the
/// boxes of the first of two sentences.
void draw_numbers(const Strip& strip, int token, Figure& figure) {
  const Box box = strip.box(token);
  const bool above = token < strip.spec.first_of_second;
  Label label{std::to_string(strip.spec.number_of(token)),
              {box.x + 0.5F * box.w, above ? box.y - number_gap : box.bottom() + number_gap},
              strip.theme.quiet,
              index_size,
              Font::mono,
              HorizontalAnchor::center,
              above ? VerticalAnchor::bottom : VerticalAnchor::top};
  figure.items.emplace_back(label);
  if (!strip.spec.draws_ids()) return;
  label.text = id_text(strip.spec.ids[static_cast<std::size_t>(token)]);
  label.at.y += above ? -index_line : index_line;
  label.size = id_size;
  figure.items.emplace_back(label);
}

void draw_token(const Strip& strip, int token, Figure& figure) {
  const Theme& theme = strip.theme;
  const Box box = strip.box(token);
  const bool selected = strip.spec.selected == token;
  const Color ground = ground_of(strip, token);
  constexpr float rounding = 5.0F;
  add_box(figure, box, ground, rounding);
  Color text = strip.padded(token) ? theme.quiet : ground == theme.panel ? theme.text : readable_on(ground);
  if (selected) text = theme.panel;
  if (strip.padded(token)) {
    figure.items.emplace_back(
        Hatch{box.grown(-2.0F), selected ? mixed(theme.accent, text, 0.25F) : theme.line});
  }
  if (!selected) {
    const bool hovered = strip.spec.hovered == token;
    add_frame(figure, box.grown(-0.5F), hovered ? theme.accent : theme.line, 1.0F, rounding);
  }
  const bool strong = selected || (strip.spec.selected && strip.weight(token) >= 0.5F);
  const Point center = box.center();
  add_text(figure, strip.layout.texts[static_cast<std::size_t>(token)], center, text, strip.layout.font_size,
           strong ? Font::sans_bold : Font::sans, HorizontalAnchor::center);
  if (strip.padded(token)) {
    const Point left{box.x + padding - 2.0F, center.y};
    const Point right{box.right() - padding + 2.0F, center.y};
    add_line(figure, left, right, text, selected ? 1.5F : 1.0F);
  }
  // A dashed line below an unknown word, as below one that a dictionary does not know.
  constexpr float dash = 4.0F;
  constexpr float pause = 2.0F;
  const float y = box.bottom() - 5.0F;
  const float end = box.right() - padding;
  const int n_dashes = static_cast<int>(std::ceil((end - box.x - padding) / (dash + pause)));
  for (int i = 0; i < n_dashes && strip.unknown(token); ++i) {
    const float x = box.x + padding + static_cast<float>(i) * (dash + pause);
    add_line(figure, {x, y}, {std::min(x + dash, end), y}, selected ? text : theme.warning, 1.5F);
  }
  if (strip.spec.shows_numbers) draw_numbers(strip, token, figure);
  if (strip.spec.above.empty()) return;
  figure.write(strip.spec.above[static_cast<std::size_t>(token)], {center.x, box.y - 1.0F}, theme.quiet,
               index_size, Font::mono, HorizontalAnchor::center, VerticalAnchor::bottom);
}

/// The loop above a token that shows its weight on itself.
Curve loop(Box box, float top) {
  const float x = box.x + 0.5F * box.w;
  const float foot = std::min(14.0F, 0.25F * box.w);
  const float reach = std::min(30.0F, 0.55F * box.w);
  const float height = box.y - std::min(34.0F, std::max(4.0F, box.y - top)) * 1.2F;
  return {{x - foot, box.y}, {x - reach, height}, {x + reach, height}, {x + foot, box.y}, {}, 1.0F};
}

/// An arc above the row whose height grows with its length. A cubic curve reaches three quarters of the
/// height of its control points.
Curve arc(Box from, Box to, float top) {
  const Point a{from.x + 0.5F * from.w, from.y};
  const Point b{to.x + 0.5F * to.w, to.y};
  const float room = std::max(1.0F, a.y - top);
  const float height = room * (1.0F - std::exp(-std::abs(b.x - a.x) / (1.2F * room))) / 0.75F;
  return {a, {a.x, a.y - height}, {b.x, b.y - height}, b, {}, 1.0F};
}

/// A curve between the facing edges of two rows.
Curve between_rows(Box from, Box to) {
  const bool down = to.y > from.y;
  const Point a{from.x + 0.5F * from.w, down ? from.bottom() : from.y};
  const Point b{to.x + 0.5F * to.w, down ? to.y : to.bottom()};
  const float middle = 0.5F * (a.y + b.y);
  return {a, {a.x, middle}, {b.x, middle}, b, {}, 1.0F};
}

Curve line_to(const Strip& strip, int query, int key) {
  const Box from = strip.with_above(query);
  const Box to = strip.with_above(key);
  const bool same_row =
      strip.layout.rows[static_cast<std::size_t>(query)] == strip.layout.rows[static_cast<std::size_t>(key)];
  if (!same_row) return between_rows(from, to);
  const float top = strip.layout.n_rows == 1 ? strip.layout.area.y + arc_room : from.y - row_gap + 5.0F;
  return query == key ? loop(from, top) : arc(from, to, top);
}

/// Where the number of an arc stands if the sentence has several rows: above the token that the arc leads to,
/// and beside the end of the arc if that is there.
Point number_in_rows(const Strip& strip, const Curve& curve, Box key, float width) {
  constexpr float gap = 7.0F;
  const Box& area = strip.layout.area;
  const float side = curve.to.x < curve.from.x ? -1.0F : 1.0F;
  // Above the next token, the number would seem to be that token's.
  const float most = std::max(0.5F * (key.w - width), 0.0F) + gap;
  const float aside = curve.to.y <= key.y ? side * std::min(0.5F * width + gap, most) : 0.0F;
  const float x = std::min(curve.control_2.x + aside, area.right() - 0.5F * width);
  return {std::max(x, area.x + 0.5F * width), key.y - 2.0F};
}

/// Writes the weights of the strongest arcs: a single one above its arc, several above the tokens that the
/// arcs lead to, because the middle of an arc often lies above a token that it does not belong to. A number
/// that would touch another is left out.
void draw_weights(const Strip& strip, int query, const std::vector<int>& lightest_first, Figure& figure) {
  constexpr std::size_t most = 4;
  constexpr float least = 0.1F;
  constexpr float letter = 0.62F * index_size;  // The width of a letter of the monospaced font.
  constexpr float gap = 3.0F;
  const bool is_single =
      std::ranges::count_if(lightest_first, [&](int key) { return strip.weight(key) >= least; }) == 1;
  std::vector<Box> taken;
  for (auto key = lightest_first.rbegin(); key != lightest_first.rend() && taken.size() < most; ++key) {
    if (strip.weight(*key) < least) break;
    const std::string& said = strip.spec.weight_texts[static_cast<std::size_t>(*key)];
    const Curve curve = line_to(strip, query, *key);
    // A cubic curve whose ends are at one height reaches three quarters of the way to its control points.
    const float top = curve.from.y - 0.75F * (curve.from.y - curve.control_1.y);
    const float width = letter * static_cast<float>(said.size());
    const float center = is_single || *key == query ? 0.5F * (curve.from.x + curve.to.x) : curve.to.x;
    const Point middle = strip.layout.n_rows == 1
                             ? Point{center, top - 4.0F - gap}
                             : number_in_rows(strip, curve, strip.with_above(*key), width);
    const Box box{middle.x - 0.5F * width, middle.y - index_size, width, index_size};
    const bool is_free = std::ranges::none_of(taken, [&box](const Box& other) {
      return box.x < other.right() && other.x < box.right() && box.y < other.bottom() &&
             other.y < box.bottom();
    });
    if (!is_free) continue;
    taken.push_back(box);
    // A longer arc may run through the number of a shorter one.
    if (!is_single)
      add_box(figure, {box.x - 2.0F, box.y - 1.0F, box.w + 4.0F, box.h + 2.0F}, strip.theme.panel, 2.0F);
    figure.write(said, middle, strip.theme.accent, index_size, Font::mono, HorizontalAnchor::center,
                 VerticalAnchor::bottom);
  }
}

/// Draws the lightest lines first, so that the heaviest lie on top.
void draw_lines(const Strip& strip, Figure& figure) {
  const int query = *strip.spec.selected;
  if (query < 0 || query >= static_cast<int>(strip.layout.boxes.size()) || !strip.layout.is_visible(query))
    return;
  std::vector<int> keys;
  for (int key = 0; key < static_cast<int>(strip.layout.boxes.size()); ++key) {
    if (!(strip.weight(key) > 0.0F) || strip.weight(key) < strip.spec.threshold) continue;
    if (!strip.layout.is_visible(key)) continue;
    keys.push_back(key);
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [&strip](int a, int b) { return strip.weight(a) < strip.weight(b); });
  for (const int key : keys) {
    const float weight = std::min(strip.weight(key), 1.0F);
    Curve curve = line_to(strip, query, key);
    // A loop is small, and the space between rows is low.
    const bool is_thin = key == query || (strip.layout.n_rows > 1 && !strip.layout.two_sentences);
    curve.thickness = 1.0F + (is_thin ? 2.0F : 7.0F) * weight;
    curve.color = with_opacity(strip.theme.accent, 0.25F + 0.75F * std::sqrt(weight));
    figure.items.emplace_back(curve);
  }
  if (!strip.layout.two_sentences && strip.spec.weight_texts.size() == strip.spec.weights.size())
    draw_weights(strip, query, keys, figure);
}

}  // namespace

TokenStripLayout layout_token_strip(const TokenStripSpec& spec, Box area, const MeasureText& measure) {
  TokenStripLayout layout;
  layout.area = area;
  layout.font_size = spec.font_size;
  if (spec.tokens.empty()) return layout;
  choose_boxes(spec, measure, layout);
  layout.n_rows = layout.rows.back() + 1;
  layout.two_sentences = spec.first_of_second > 0;
  constexpr float below = 2.0F;  // Keeps the edge of a box inside its row.
  const float box_height = 2.0F * layout.font_size;
  const float number_height =
      spec.shows_numbers ? index_line + number_gap + (spec.draws_ids() ? id_line : 0.0F) : below;
  layout.above = spec.above.empty() ? 0.0F : index_line;
  const float height = layout.above + box_height + number_height;
  layout.row_height = height + (layout.two_sentences ? sentence_gap : row_gap);
  layout.n_visible_rows = 1;
  while (layout.n_visible_rows < layout.n_rows && layout.height_of(layout.n_visible_rows + 1) <= area.h)
    ++layout.n_visible_rows;
  layout.first_row = std::clamp(spec.first_row, 0, layout.n_rows - layout.n_visible_rows);
  const auto [top, pitch] = place_rows(layout, height);
  const bool centered = layout.n_rows == (layout.two_sentences ? 2 : 1);
  std::vector<float> lefts;
  for (int row = 0; row < layout.n_rows; ++row) {
    const float rest = centered ? std::max(0.0F, area.w - row_width(layout, row)) : 0.0F;
    lefts.push_back(area.x + std::floor(0.5F * rest));
  }
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    const float above = layout.above + (static_cast<int>(i) < spec.first_of_second ? number_height : 0.0F);
    Box& box = layout.boxes[i];
    box.x = lefts[static_cast<std::size_t>(layout.rows[i])] + box.x;
    box.y = std::floor(top + static_cast<float>(layout.rows[i] - layout.first_row) * pitch + above);
    box.h = box_height;
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

Figure draw_token_strip(const TokenStripSpec& spec, const TokenStripLayout& layout, const Theme& theme) {
  Figure figure{layout.area.right(), layout.area.bottom(), theme.panel, {}};
  const Strip strip{spec, layout, theme};
  figure.items.emplace_back(ClipBegin{layout.area});
  const bool lines_beneath = layout.n_rows == 1 || layout.two_sentences;
  if (spec.selected && lines_beneath) draw_lines(strip, figure);
  for (int token = 0; token < static_cast<int>(layout.boxes.size()); ++token) {
    if (layout.is_visible(token)) draw_token(strip, token, figure);
  }
  if (spec.selected && !lines_beneath) draw_lines(strip, figure);
  figure.items.emplace_back(ClipEnd{});
  return figure;
}

std::string line_statement(const std::vector<float>& weights, float threshold) {
  if (std::ranges::any_of(weights, [](float weight) { return std::isnan(weight); }))
    return "no arcs: weights are NaN";
  const auto shown = std::count_if(weights.begin(), weights.end(), [threshold](float weight) {
    return weight > 0.0F && weight >= threshold;
  });
  return "arcs for weights from " + tick_text(threshold) + ": " + std::to_string(shown) + " of " +
         std::to_string(weights.size());
}

}  // namespace headscope
