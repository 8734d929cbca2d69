#include "core/page/lines/lines_page.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/figure/colormap.h"
#include "core/figure/pages.h"
#include "core/page/lines/line_drawing.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

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

/// The label of a head, or of the heads of a layer, with its colour.
struct Chip {
  std::string text;
  /// The head that a click concerns. Empty if the chip does not respond to the mouse.
  std::optional<HeadIndex> place;
  std::optional<Color> color;  ///< Empty if the head is not drawn.
};

/// The labels of all heads. For a large model, only the heads of the selected layer and those that are drawn;
/// if too many are drawn, their layers instead. In a file, a legend of those that are drawn, if there are
/// several.
std::vector<Chip> chips_of(const PageInputs& in, const std::vector<HeadIndex>& heads,
                           const std::vector<Color>& colors) {
  std::vector<Chip> chips;
  if (heads.size() > max_head_colors) {
    std::set<int> layers;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (!layers.insert(heads[i].layer).second) continue;
      const auto n = std::ranges::count(heads, heads[i].layer, &HeadIndex::layer);
      chips.push_back({"layer " + std::to_string(heads[i].layer) + ": " + std::to_string(n), {}, colors[i]});
    }
    return chips;
  }
  if (in.in_file && heads.size() == 1) return chips;
  std::set<HeadIndex> places(heads.begin(), heads.end());
  const Architecture& a = in.trace->architecture();
  const int n_layers = a.layers_of(in.session.selection.stack);
  const bool are_few_heads = n_layers * a.n_heads <= static_cast<int>(max_head_colors);
  for (int layer = 0; layer < n_layers && !in.in_file; ++layer) {
    if (!are_few_heads && layer != std::min(in.session.selection.layer, n_layers - 1)) continue;
    for (int head = 0; head < a.n_heads; ++head) places.insert({layer, head});
  }
  chips.reserve(places.size());
  for (const HeadIndex& place : places) {
    const auto found = std::ranges::find(heads, place);
    Chip chip{head_name(place), place, {}};
    if (found != heads.end()) chip.color = colors[static_cast<std::size_t>(found - heads.begin())];
    chips.push_back(std::move(chip));
  }
  return chips;
}

Page chips_page(const PageInputs& in, const PageTools& tools, const std::vector<Chip>& chips, float width) {
  constexpr float height = 22.0F;
  constexpr float mark = 10.0F;
  constexpr float padding = 6.0F;
  constexpr float gap = 4.0F;
  const Theme& theme = theme_of(in.session.picture.theme);
  Page page;
  page.figure.background = theme.panel;
  float x = 0.0F;
  float y = 0.0F;
  for (const Chip& chip : chips) {
    const float text = std::ceil(tools.measure(chip.text, Font::sans, page_size::control).width);
    const float wide = 3.0F * padding + mark + text;
    if (x > 0.0F && x + wide > width) {
      x = 0.0F;
      y += height + gap;
    }
    const Box box{x, y, wide, height};
    const Box square{x + padding, y + 0.5F * (height - mark), mark, mark};
    if (chip.color) {
      page.figure.items.emplace_back(FilledRect{box, theme.control, 5.0F});
      page.figure.items.emplace_back(FilledRect{square, *chip.color, 2.0F});
    } else {
      page.figure.items.emplace_back(StrokedRect{square, theme.quiet, 1.0F, 2.0F});
    }
    add_text(page.figure, chip.text, {square.right() + padding, y + 0.5F * height},
             chip.color ? theme.text : theme.quiet, page_size::control);
    if (chip.place) page.regions.push_back({box, HeadTile{*chip.place}});
    x += wide + gap;
  }
  page.figure.width = width;
  page.figure.height = y + height;
  return page;
}

std::string said_heads(const PageInputs& in, const std::vector<HeadIndex>& heads) {
  if (heads.size() > 1) {
    const std::string n = std::to_string(heads.size()) + " heads";
    return heads.size() > max_head_colors ? n + ", a colour for each layer" : n + ", a colour for each";
  }
  const HeadIndex& only = heads.front();
  StageId place = in.at(StageKind::weights);
  place.layer = only.layer;
  place.head = only.head;
  return place_text(*in.trace, place);
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
  if (const std::vector<Chip> chips = chips_of(in, heads, colors); !chips.empty()) {
    page.add(chips_page(in, tools, chips, size.width));
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
  if (const std::string note = in.session.lines.arcs ? arcs_note(drawing, size) : ""; !note.empty())
    page.paragraph(note);
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
