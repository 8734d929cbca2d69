#include "app/parts/token_strip_part.h"

#include <algorithm>

#include "app/ui/figure_painter.h"
#include "app/widgets/text.h"
#include "core/figure/token_strip.h"

namespace headscope {
namespace {

TokenStripSpec strip_spec(const Frame& frame) {
  const Trace& trace = *frame.trace;
  TokenStripSpec spec;
  spec.tokens.reserve(trace.tokens().size());
  for (const Token& token : trace.tokens()) {
    spec.tokens.push_back(token.text);
    spec.ids.push_back(token.id);
  }
  spec.hovered = frame.screen.hovered_token;
  spec.selected = shown_query(frame);
  spec.threshold = frame.session.picture.line_threshold;
  spec.first_row = frame.screen.strip_row;
  const MatrixView weights = trace.value(selected_stage(frame, StageKind::weights));
  if (spec.selected && *spec.selected < weights.rows) {
    const auto row = weights.row(*spec.selected);
    spec.weights.assign(row.begin(), row.end());
  }
  const auto& padding = frame.session.attention.mask.padding;
  if (!padding.empty()) {
    spec.padded.assign(spec.tokens.size(), false);
    for (const int token : padding) {
      if (token >= 0 && token < trace.n_tokens()) spec.padded[static_cast<std::size_t>(token)] = true;
    }
  }
  return spec;
}

std::string token_sentence(const Trace& trace, int index) {
  const Token& token = trace.tokens()[static_cast<std::size_t>(index)];
  return "“" + token.text + "”: token " + std::to_string(index) + ", id " + std::to_string(token.id);
}

/// Scrolls a newly selected token into sight, once.
void follow_selection(ScreenState& screen, const std::optional<int>& token, const TokenStripLayout& layout) {
  if (screen.strip_token == token) return;
  screen.strip_token = token;
  if (token && !layout.is_visible(*token)) screen.strip_row = layout.rows[static_cast<std::size_t>(*token)];
}

/// "rows 0–2 of 5, wheel": what of a long sentence is in sight.
std::string rows_in_sight(const TokenStripLayout& layout) {
  if (layout.n_visible_rows >= layout.n_rows) return {};
  return " · rows " + std::to_string(layout.first_row) + "–" +
         std::to_string(layout.first_row + layout.n_visible_rows - 1) + " of " +
         std::to_string(layout.n_rows) + ", the wheel scrolls";
}

void heading(Frame& frame, const TokenStripSpec& spec, const std::string& rows) {
  const Theme& theme = frame.ui.theme();
  const std::string head = "Head " + std::to_string(frame.session.selection.head);
  std::string said = "Hover or click a token: lines run to the tokens it attends to";
  if (spec.selected) {
    said = "from “" + spec.tokens[static_cast<std::size_t>(*spec.selected)] +
           "”: " + line_statement(spec.weights, spec.threshold);
  }
  if (frame.screen.padding_mode) said = "Click a token to pad it: no token may attend to it then";
  text_line(frame.ui,
            {{head, Font::sans_bold, text_size::body, theme.text},
             {said + rows, Font::sans, text_size::small, theme.quiet}},
            12.0F);
}

}  // namespace

std::optional<int> shown_query(const Frame& frame) {
  const int n = frame.trace ? frame.trace->n_tokens() : 0;
  for (const auto& candidate : {frame.screen.hovered_token, frame.session.selection.token}) {
    if (candidate && *candidate >= 0 && *candidate < n) return candidate;
  }
  return std::nullopt;
}

void token_strip_part(Frame& frame, ImVec2 size) {
  if (!frame.trace) return;
  const float scale = frame.ui.scale();
  const TokenStripSpec spec = strip_spec(frame);
  const MeasureText measure = frame.ui.measure();
  const float header = ImGui::GetCursorPosY() + frame.ui.px(24.0F);
  const ImVec2 room{size.x, std::max(size.y - header, frame.ui.px(40.0F))};
  const TokenStripLayout layout =
      layout_token_strip(spec, {0.0F, 0.0F, room.x / scale, room.y / scale}, measure);
  heading(frame, spec, rows_in_sight(layout));
  ImGui::SetCursorPosY(header);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Figure figure = draw_token_strip(spec, layout, frame.ui.theme());
  ImGui::InvisibleButton("strip", room);
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), figure, origin, scale);

  frame.screen.hovered_token.reset();
  frame.screen.strip_row = layout.first_row;
  constexpr float below_rows = 20.0F;
  const bool one_row = layout.n_rows <= 1;
  frame.screen.strip_height =
      one_row ? 0.0F : header / scale + static_cast<float>(layout.n_rows) * layout.row_height + below_rows;
  follow_selection(frame.screen, frame.session.selection.token, layout);
  if (!ImGui::IsItemHovered()) return;
  const float wheel = ImGui::GetIO().MouseWheel;
  if (wheel != 0.0F) frame.screen.strip_row = std::max(0, layout.first_row - (wheel > 0.0F ? 1 : -1));
  const auto token = layout.token_at(to_figure(ImGui::GetIO().MousePos, origin, scale));
  if (!token) return;
  frame.screen.hovered_token = token;
  tooltip(frame.ui, token_sentence(*frame.trace, *token));
  if (!ImGui::IsMouseClicked(0)) return;
  if (frame.screen.padding_mode) {
    frame.emit(TogglePadding{*token});
  } else {
    frame.emit(SelectToken{*token});
  }
}

}  // namespace headscope
