#include <algorithm>
#include <cmath>

#include "core/figure/cell_text.h"
#include "core/figure/color_bar.h"
#include "core/figure/colormap.h"
#include "core/figure/token_strip.h"
#include "core/figure/token_strip_metrics.h"

namespace headscope {
namespace {

using namespace token_strip_metrics;

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

/// Draws a dashed line below a word, as below one that a dictionary does not know.
void draw_underline(Box box, Color color, Figure& figure) {
  constexpr float dash = 4.0F;
  constexpr float pause = 2.0F;
  const float y = box.bottom() - 5.0F;
  const float end = box.right() - padding;
  const int n_dashes = static_cast<int>(std::ceil((end - box.x - padding) / (dash + pause)));
  for (int i = 0; i < n_dashes; ++i) {
    const float x = box.x + padding + static_cast<float>(i) * (dash + pause);
    figure.items.emplace_back(Line{{x, y}, {std::min(x + dash, end), y}, color, 1.5F});
  }
}

void draw_token(const Strip& strip, int token, Figure& figure) {
  const Theme& theme = strip.theme;
  const Box box = strip.box(token);
  const bool selected = strip.spec.selected == token;
  const Color ground = ground_of(strip, token);
  constexpr float rounding = 5.0F;
  figure.items.emplace_back(FilledRect{box, ground, rounding});
  Color text = strip.padded(token) ? theme.quiet : ground == theme.panel ? theme.text : readable_on(ground);
  if (selected) text = theme.panel;
  if (strip.padded(token)) {
    const Box inner{box.x + 2.0F, box.y + 2.0F, box.w - 4.0F, box.h - 4.0F};
    figure.items.emplace_back(Hatch{inner, selected ? mixed(theme.accent, text, 0.25F) : theme.line});
  }
  if (!selected) {
    const Box edge{box.x + 0.5F, box.y + 0.5F, box.w - 1.0F, box.h - 1.0F};
    const bool hovered = strip.spec.hovered == token;
    figure.items.emplace_back(StrokedRect{edge, hovered ? theme.accent : theme.line, 1.0F, rounding});
  }
  const bool strong = selected || (strip.spec.selected && strip.weight(token) >= 0.5F);
  const Point center{box.x + 0.5F * box.w, box.y + 0.5F * box.h};
  figure.items.emplace_back(Label{strip.layout.texts[static_cast<std::size_t>(token)], center, text,
                                  strip.layout.font_size, strong ? Font::sans_bold : Font::sans,
                                  HorizontalAnchor::center, VerticalAnchor::middle});
  if (strip.padded(token)) {
    const Point left{box.x + padding - 2.0F, center.y};
    const Point right{box.right() - padding + 2.0F, center.y};
    figure.items.emplace_back(Line{left, right, text, selected ? 1.5F : 1.0F});
  }
  if (strip.unknown(token)) draw_underline(box, selected ? text : theme.warning, figure);
  if (strip.spec.shows_numbers) draw_numbers(strip, token, figure);
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
  const Box from = strip.box(query);
  const Box to = strip.box(key);
  const bool same_row =
      strip.layout.rows[static_cast<std::size_t>(query)] == strip.layout.rows[static_cast<std::size_t>(key)];
  if (!same_row) return between_rows(from, to);
  const float top = strip.layout.n_rows == 1 ? strip.layout.area.y + arc_room : from.y - row_gap + 5.0F;
  return query == key ? loop(from, top) : arc(from, to, top);
}

/// Writes the weights of the strongest arcs above them. A number that would touch another is left out.
void draw_weights(const Strip& strip, int query, const std::vector<int>& lightest_first, Figure& figure) {
  constexpr std::size_t most = 4;
  constexpr float least = 0.1F;
  constexpr float letter = 0.62F * index_size;  // The width of a letter of the monospaced font.
  constexpr float gap = 3.0F;
  std::vector<Box> taken;
  for (auto key = lightest_first.rbegin(); key != lightest_first.rend() && taken.size() < most; ++key) {
    if (strip.weight(*key) < least) break;
    const std::string& said = strip.spec.weight_texts[static_cast<std::size_t>(*key)];
    const Curve curve = line_to(strip, query, *key);
    // A cubic curve whose ends are at one height reaches three quarters of the way to its control points.
    const float top = curve.from.y - 0.75F * (curve.from.y - curve.control_1.y);
    const float width = letter * static_cast<float>(said.size());
    const Point middle{0.5F * (curve.from.x + curve.to.x), top - 4.0F - gap};
    const Box box{middle.x - 0.5F * width, middle.y - index_size, width, index_size};
    const bool is_free = std::ranges::none_of(taken, [&box](const Box& other) {
      return box.x < other.right() && other.x < box.right() && box.y < other.bottom() &&
             other.y < box.bottom();
    });
    if (!is_free) continue;
    taken.push_back(box);
    figure.items.emplace_back(Label{said, middle, strip.theme.accent, index_size, Font::mono,
                                    HorizontalAnchor::center, VerticalAnchor::bottom});
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
    curve.thickness = 1.0F + 7.0F * weight;
    curve.color = with_opacity(strip.theme.accent, 0.25F + 0.75F * std::sqrt(weight));
    figure.items.emplace_back(curve);
  }
  if (strip.layout.n_rows == 1 && strip.spec.weight_texts.size() == strip.spec.weights.size())
    draw_weights(strip, query, keys, figure);
}

}  // namespace

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
  const auto shown = std::count_if(weights.begin(), weights.end(), [threshold](float weight) {
    return weight > 0.0F && weight >= threshold;
  });
  return "arcs for weights from " + tick_text(threshold) + ": " + std::to_string(shown) + " of " +
         std::to_string(weights.size());
}

}  // namespace headscope
