#include "core/page/explore/strip_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/figure/colormap.h"
#include "core/figure/pages.h"
#include "core/page/inspector/inspector_page.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/page_builder.h"
#include "core/page/parts/readable.h"
#include "core/page/words/words_page.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

/// The tokens of the strip. In cross-attention, the tokens of the source, which are keys, precede those of
/// the target, which are queries.
std::vector<Token> tokens_of(const Trace& trace, const StageId& place) {
  std::vector<Token> tokens;
  if (place.attention == AttentionKind::cross) tokens = trace.tokens(Stack::encoder);
  const std::vector<Token>& queries = trace.tokens(place.stack);
  tokens.insert(tokens.end(), queries.begin(), queries.end());
  return tokens;
}

/// The number of tokens at which lines can end. 0 if no query is shown.
std::ptrdiff_t n_keys(const TokenStripSpec& spec) {
  const auto all = static_cast<std::ptrdiff_t>(spec.weights.size());
  return spec.first_of_second > 0 ? std::min<std::ptrdiff_t>(all, spec.first_of_second) : all;
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

/// Marks the selected query, the tokens that it attends to, and the padding. Only a strip of one row writes
/// its weights.
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
      spec.weight_texts.push_back(
          weight < spec.threshold ? "" : share_text(in.session.picture, static_cast<double>(weight)));
    }
  }
  mark_padding(in, before, size.cols, spec);
}

constexpr float above_boxes = 24.0F;      ///< The height of everything above the boxes.
constexpr float overview_height = 18.0F;  ///< The height of the overview of a long sentence.

TokenStripSpec strip_tokens(const PageInputs& in) {
  TokenStripSpec spec;
  spec.first_of_second = n_before_queries(in);
  for (const Token& token : tokens_of(*in.trace, in.at(StageKind::weights))) {
    spec.unknown.push_back(in.trace_model && !in.trace_model->vocabulary.knows(token));
    spec.tokens.push_back(display_word(token.text));
    spec.ids.push_back(token.id);
  }
  return spec;
}

/// The greatest height of the strip. Lines between two sentences are visible only if both of their ends are,
/// so two sentences may take more of the page.
float max_height(const TokenStripLayout& layout, const StripRoom& room) {
  constexpr int max_rows_of_two = 4;
  const bool keeps_ends = layout.two_sentences && layout.n_rows <= max_rows_of_two;
  return keeps_ends ? std::max(room.most - above_boxes, layout.height_of(layout.n_rows) + 1.0F)
                    : room.most - above_boxes - overview_height;
}

TokenStripLayout strip_layout(const TokenStripSpec& spec, const StripRoom& room, const MeasureText& measure) {
  const Box one_row{0.0F, 0.0F, room.width, std::max(room.one_row - above_boxes, 40.0F)};
  TokenStripLayout layout = layout_token_strip(spec, one_row, measure);
  if (layout.n_rows <= (layout.two_sentences ? 2 : 1) && layout.n_visible_rows == layout.n_rows)
    return layout;
  const float most = max_height(layout, room);
  int rows = 1;
  while (rows < layout.n_rows && layout.height_of(rows + 1) <= most) ++rows;
  constexpr float below = 1.0F;
  return layout_token_strip(spec, {0.0F, 0.0F, room.width, layout.height_of(rows) + below}, measure);
}

/// The first visible row: the row that was scrolled to. By default, this is the first row, or the row of the
/// selected token if that would otherwise be out of sight.
int first_row_in_sight(const PageInputs& in, const TokenStripLayout& layout) {
  if (in.strip_row) return *in.strip_row;
  const auto& token = in.session.selection.token;
  if (!token) return 0;
  const std::size_t place = static_cast<std::size_t>(*token) + static_cast<std::size_t>(n_before_queries(in));
  if (place >= layout.rows.size()) return 0;
  return layout.rows[place] < layout.n_visible_rows ? 0 : layout.rows[place];
}

bool shows_surprise(const PageInputs& in) {
  const bool is_of_sentence = in.session.selection.attention == AttentionKind::self &&
                              in.session.selection.stack == in.trace->architecture().last_stack();
  return in.session.picture.surprise && is_of_sentence && has_predictions(in);
}

/// Lays out the strip again if the pass, the room or the fonts have changed.
void refresh_strip(const PageInputs& in, const StripRoom& room, const PageTools& tools, StripMemo& strip) {
  const StageId place = in.at(StageKind::weights);
  const bool same_tokens =
      strip.trace == in.trace && strip.place.stack == place.stack && strip.place.attention == place.attention;
  const bool shows_ids = in.session.picture.details;
  const bool shows_numbers = strip_shows_numbers(in);
  const bool same_above = strip.shows_surprise == shows_surprise(in);
  const bool same_place = strip.spec.shows_ids == shows_ids && strip.spec.shows_numbers == shows_numbers &&
                          same_above && strip.width == room.width && strip.height == room.one_row &&
                          strip.most == room.most && strip.fonts == tools.fonts;
  if (!same_tokens) strip.spec = strip_tokens(in);
  strip.spec.shows_ids = shows_ids;
  strip.spec.shows_numbers = shows_numbers;
  if (!same_tokens || !same_above) {
    strip.spec.above.clear();
    strip.shows_surprise = shows_surprise(in);
    if (strip.shows_surprise) {
      for (const auto& bits : surprises(*in.trace))  // with one digit after the point
        strip.spec.above.push_back(bits ? decimals_text(*bits, 1) : "");
    }
  }
  if (!same_tokens || !same_place) {
    strip.spec.first_row = 0;
    strip.layout = strip_layout(strip.spec, room, tools.measure);
  }
  strip.trace = in.trace;
  strip.place = place;
  strip.width = room.width;
  strip.height = room.one_row;
  strip.most = room.most;
  strip.fonts = tools.fonts;
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

/// An overview of a sentence of which only some rows are in sight. It shows where the selected token looks
/// and frames the visible tokens. If several tokens share a place, the place stands for the first of them.
Page overview_of(const TokenStripSpec& spec, const TokenStripLayout& layout, float width,
                 const Theme& theme) {
  constexpr float min_place = 2.0F;
  Page page;
  page.figure.width = width;
  page.figure.height = overview_height;
  const Box band{0.0F, 2.0F, width, overview_height - 8.0F};
  page.figure.items.emplace_back(FilledRect{band, theme.control, 2.0F});
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
      page.figure.items.emplace_back(
          FilledRect{box, is_selected ? theme.text : mixed(theme.control, theme.accent, share)});
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
    page.figure.items.emplace_back(
        StrokedRect{{x_of(first), band.y - 1.0F, std::max(x_of(last) - x_of(first), 4.0F), band.h + 2.0F},
                    theme.quiet,
                    1.0F,
                    2.0F});
  }
  return page;
}

/// Says which of the selected query's lines are drawn: "arcs for weights from 0.02: 3 of 11". Empty if none
/// is selected.
std::string strip_statement(const TokenStripSpec& spec) {
  if (!spec.selected || spec.weights.empty()) return {};
  return line_statement({spec.weights.begin(), spec.weights.begin() + n_keys(spec)}, spec.threshold);
}

}  // namespace

int n_before_queries(const PageInputs& in) {
  if (in.session.selection.attention == AttentionKind::self) return 0;
  return static_cast<int>(in.trace->tokens(Stack::encoder).size());
}

bool strip_shows_numbers(const PageInputs& in) {
  return in.session.picture.details || in.session.selection.attention == AttentionKind::cross;
}

Page strip_page(const PageInputs& in, const StripRoom& room, PageTools& tools) {
  StripMemo& strip = tools.memo.strip;
  refresh_strip(in, room, tools, strip);
  const TokenStripLayout& layout = strip.layout;
  mark_strip(in, tools, layout.n_rows == 1, strip.spec);
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
  Page boxes{draw_token_strip(strip.spec, layout, theme_of(in.session.picture.theme)), {}};
  boxes.figure.width = room.width;
  boxes.figure.height = layout.area.h;
  const bool has_overview = layout.n_visible_rows < layout.n_rows;
  const float top = above_boxes + (has_overview ? overview_height : 0.0F);
  // Below the words of the heading that explain themselves.
  page.regions.insert(page.regions.begin(),
                      {{0.0F, 0.0F, room.width, top + layout.area.h},
                       SentenceArea{caption_width, layout.first_row, layout.n_visible_rows, layout.n_rows}});
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    if (layout.is_visible(static_cast<int>(i)))
      boxes.regions.push_back({layout.boxes[i], TokenArea{static_cast<int>(i)}});
  }
  if (has_overview)
    append(page, overview_of(strip.spec, layout, room.width, theme_of(in.session.picture.theme)), 0.0F,
           above_boxes);
  append(page, boxes, 0.0F, top);
  return page;
}

}  // namespace headscope
