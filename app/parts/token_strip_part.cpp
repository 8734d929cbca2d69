#include "app/parts/token_strip_part.h"

#include <algorithm>

#include "app/ui/figure_painter.h"
#include "app/widgets/text.h"
#include "core/figure/pages.h"
#include "core/figure/token_strip.h"
#include "core/model/trained_model.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

/// In cross-attention the source's tokens, which are keys, stand before the target's, which are queries.
std::vector<Token> strip_tokens(const Trace& trace, const StageId& place) {
  std::vector<Token> tokens;
  if (place.attention == AttentionKind::cross) tokens = trace.tokens(Stack::encoder);
  const std::vector<Token>& queries = trace.tokens(place.stack);
  tokens.insert(tokens.end(), queries.begin(), queries.end());
  return tokens;
}

/// Places in the strip before the first query.
int n_before_queries(const Frame& frame) {
  if (!frame.trace || frame.session.selection.attention == AttentionKind::self) return 0;
  return static_cast<int>(frame.trace->tokens(Stack::encoder).size());
}

/// Lays the strip out again where the pass, the room or the fonts changed.
void refresh(const Frame& frame, float width, float height, StripCache& strip) {
  const Trace& trace = *frame.trace;
  const MeasureText measure = frame.ui.measure();
  const std::size_t fonts = frame.ui.fonts.generation();
  const StageId place = selected_stage(frame, StageKind::weights);
  const bool same_tokens = strip.trace == frame.trace && strip.place.stack == place.stack &&
                           strip.place.attention == place.attention;
  if (!same_tokens) {
    strip.trace = frame.trace;
    strip.spec.tokens.clear();
    strip.spec.ids.clear();
    strip.place = place;
    strip.spec.first_of_second = n_before_queries(frame);
    strip.spec.unknown.clear();
    const auto& model = frame.trace_model;
    for (const Token& token : strip_tokens(trace, place)) {
      strip.spec.unknown.push_back(model && !model->vocabulary.knows(token));
      strip.spec.tokens.push_back(token.text);
      strip.spec.ids.push_back(token.id);
    }
  }
  const bool same_place = strip.width == width && strip.height == height && strip.fonts == fonts;
  if (same_tokens && same_place && strip.layout.first_row == frame.screen.strip_row) return;
  strip.width = width;
  strip.height = height;
  strip.fonts = fonts;
  strip.spec.first_row = frame.screen.strip_row;
  strip.layout = layout_token_strip(strip.spec, {0.0F, 0.0F, width, height}, measure);
}

/// What changes from frame to frame: who is selected, and what it attends to.
void mark(const Frame& frame, TokenStripSpec& spec) {
  const Trace& trace = *frame.trace;
  const int before = n_before_queries(frame);
  const auto in_strip = [before](const std::optional<int>& query) {
    return query ? std::optional<int>(*query + before) : std::nullopt;
  };
  spec.hovered = in_strip(frame.screen.hovered_token);
  spec.selected = in_strip(shown_query(frame));
  spec.threshold = frame.session.picture.line_threshold;
  spec.weights.clear();
  const MatrixView weights = trace.value(weights_in_use(trace, selected_stage(frame, StageKind::weights)));
  if (spec.selected && *spec.selected - before < weights.rows) {
    const auto row = weights.row(*spec.selected - before);
    spec.weights.assign(row.begin(), row.end());
    spec.weights.resize(spec.tokens.size(), 0.0F);
  }
  spec.padded.clear();
  const auto& padding = trace.mask_spec(selected_stage(frame, StageKind::weights)).padding;
  if (!padding.empty() || trace.batch().n_padded > 0) spec.padded.assign(spec.tokens.size(), false);
  // The pass may be behind the selection, and have no weights there.
  const int n_keys = std::min(weights.cols, static_cast<int>(spec.tokens.size()));
  const auto pad = [&spec, n_keys](int token) {
    if (token >= 0 && token < n_keys) spec.padded[static_cast<std::size_t>(token)] = true;
  };
  for (const int token : padding) pad(token);
  const bool sees_source = frame.session.selection.stack == trace.architecture().first_stack() || before > 0;
  for (int i = 0; i < trace.batch().n_padded && sees_source; ++i) pad(n_keys - 1 - i);
}

std::string token_sentence(const TokenStripSpec& spec, int index, int n_before) {
  const auto at = static_cast<std::size_t>(index);
  const bool is_key = index < n_before;
  const std::string role = n_before == 0 ? ": token " : is_key ? ": source token " : ": target token ";
  const char* known =
      spec.unknown[at] ? ". The model does not know this word and uses a trained placeholder" : "";
  return "“" + spec.tokens[at] + "”" + role + std::to_string(is_key ? index : index - n_before) + ", id " +
         std::to_string(spec.ids[at]) + known;
}

/// Scrolls a newly selected token into sight, once; one of a pass that is still on its way when that is
/// there.
void follow_selection(ScreenState& screen, const std::optional<int>& token, const TokenStripLayout& layout) {
  if (screen.strip_token == token) return;
  if (token && *token >= static_cast<int>(layout.boxes.size())) return;
  screen.strip_token = token;
  if (token && !layout.is_visible(*token)) screen.strip_row = layout.rows[static_cast<std::size_t>(*token)];
}

/// "rows 1–3 of 5, wheel": what of a long sentence is in sight.
std::string rows_in_sight(const TokenStripLayout& layout) {
  if (layout.n_visible_rows >= layout.n_rows) return {};
  const int last = layout.first_row + layout.n_visible_rows;
  const std::string first = std::to_string(layout.first_row + 1);
  const std::string rows =
      layout.n_visible_rows == 1 ? "row " + first : "rows " + first + "–" + std::to_string(last);
  return " · " + rows + " of " + std::to_string(layout.n_rows) + ", scroll with the wheel";
}

/// Of the tokens that lines can run to; none where no query is shown.
std::ptrdiff_t n_keys(const TokenStripSpec& spec) {
  const auto all = static_cast<std::ptrdiff_t>(spec.weights.size());
  return spec.first_of_second > 0 ? std::min<std::ptrdiff_t>(all, spec.first_of_second) : all;
}

void heading(Frame& frame, const TokenStripSpec& spec, const std::string& rows) {
  const Theme& theme = frame.ui.theme();
  const std::string head = place_text(frame.trace->architecture(), selected_stage(frame, StageKind::weights));
  std::string said = n_before_queries(frame) > 0
                         ? "Source, then target: click a target token to see what it looks at"
                         : "Hover or click a token to see the tokens it attends to";
  if (spec.selected) {
    said = "from “" + spec.tokens[static_cast<std::size_t>(*spec.selected)] + "”: " +
           line_statement({spec.weights.begin(), spec.weights.begin() + n_keys(spec)}, spec.threshold);
  }
  if (frame.screen.padding_mode) said = "Click a token to pad it, so that no token attends to it";
  text_line(frame.ui,
            {{head, Font::sans_bold, text_size::body, theme.text},
             {said + rows, Font::sans, text_size::small, theme.quiet}},
            12.0F);
}

}  // namespace

std::optional<int> shown_query(const Frame& frame) {
  const int n = frame.trace ? static_cast<int>(frame.trace->tokens(frame.session.selection.stack).size()) : 0;
  for (const auto& candidate : {frame.screen.hovered_token, frame.session.selection.token}) {
    if (candidate && *candidate >= 0 && *candidate < n) return candidate;
  }
  return std::nullopt;
}

void token_strip_part(Frame& frame, ImVec2 size) {
  if (!frame.trace) return;
  const float scale = frame.ui.scale();
  const float header = ImGui::GetCursorPosY() + frame.ui.px(24.0F);
  const ImVec2 room{size.x, std::max(size.y - header, frame.ui.px(40.0F))};
  refresh(frame, room.x / scale, room.y / scale, frame.screen.strip);
  mark(frame, frame.screen.strip.spec);
  const TokenStripSpec& spec = frame.screen.strip.spec;
  const TokenStripLayout& layout = frame.screen.strip.layout;
  heading(frame, spec, rows_in_sight(layout));
  ImGui::SetCursorPosY(header);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Figure figure = draw_token_strip(spec, layout, frame.ui.theme());
  invisible_button("strip", room);
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), figure, origin, scale);

  frame.screen.hovered_token.reset();
  frame.screen.strip_row = layout.first_row;
  frame.screen.strip_header = header / scale;
  const int before = n_before_queries(frame);
  const auto& selected = frame.session.selection.token;
  follow_selection(frame.screen, selected ? std::optional<int>(*selected + before) : std::nullopt, layout);
  if (!ImGui::IsItemHovered()) return;
  const float wheel = ImGui::GetIO().MouseWheel;
  if (wheel != 0.0F) frame.screen.strip_row = std::max(0, layout.first_row - (wheel > 0.0F ? 1 : -1));
  const auto token = layout.token_at(to_figure(ImGui::GetIO().MousePos, origin, scale));
  if (!token) return;
  const bool is_query = *token >= before;
  if (is_query) frame.screen.hovered_token = *token - before;
  tooltip(frame.ui, token_sentence(spec, *token, before));
  if (!ImGui::IsMouseClicked(0)) return;
  const bool is_key = before == 0 || !is_query;
  if (frame.screen.padding_mode && is_key) {
    frame.emit(TogglePadding{*token});
  } else if (is_query && !frame.screen.padding_mode) {
    frame.emit(SelectToken{*token - before});
  }
}

}  // namespace headscope
