#include "app/parts/token_strip_part.h"

#include <algorithm>

#include "app/parts/page_part.h"
#include "app/ui/figure_painter.h"
#include "app/widgets/text.h"
#include "core/figure/pages.h"
#include "core/figure/token_strip.h"
#include "core/page/strip_page.h"

namespace headscope {
namespace {

/// Lays the strip out again where the pass, the room or the fonts changed.
void refresh(Frame& frame, float width, float height, StripCache& strip) {
  const MeasureText measure = frame.ui.measure();
  const std::size_t fonts = frame.ui.fonts.generation();
  const StageId place = selected_stage(frame, StageKind::weights);
  const bool same_tokens = strip.trace == frame.trace && strip.place.stack == place.stack &&
                           strip.place.attention == place.attention;
  if (!same_tokens) {
    strip.trace = frame.trace;
    strip.place = place;
    strip.spec = strip_tokens(page_inputs(frame));
  }
  const bool same_place = strip.width == width && strip.height == height && strip.fonts == fonts;
  if (same_tokens && same_place && strip.layout.first_row == frame.screen.strip_row) return;
  strip.width = width;
  strip.height = height;
  strip.fonts = fonts;
  strip.spec.first_row = frame.screen.strip_row;
  strip.layout = layout_token_strip(strip.spec, {0.0F, 0.0F, width, height}, measure);
}

/// Scrolls a newly selected token into sight, once; one of a pass that is still on its way when that is
/// there.
void follow_selection(ScreenState& screen, const std::optional<int>& token, const TokenStripLayout& layout) {
  if (screen.strip_token == token) return;
  if (token && *token >= static_cast<int>(layout.boxes.size())) return;
  screen.strip_token = token;
  if (token && !layout.is_visible(*token)) screen.strip_row = layout.rows[static_cast<std::size_t>(*token)];
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

/// "rows 1–3 of 5, wheel": what of a long sentence is in sight.
std::string rows_in_sight(const TokenStripLayout& layout) {
  if (layout.n_visible_rows >= layout.n_rows) return {};
  const int last = layout.first_row + layout.n_visible_rows;
  const std::string first = std::to_string(layout.first_row + 1);
  const std::string rows =
      layout.n_visible_rows == 1 ? "row " + first : "rows " + first + "–" + std::to_string(last);
  return " · " + rows + " of " + std::to_string(layout.n_rows) + ", scroll with the wheel";
}

void heading(Frame& frame, const TokenStripSpec& spec, const std::string& rows) {
  const Theme& theme = frame.ui.theme();
  const std::string head = place_text(frame.trace->architecture(), selected_stage(frame, StageKind::weights));
  std::string said = strip_statement(spec);
  if (said.empty()) {
    said = spec.first_of_second > 0 ? "Source, then target: click a target token to see what it looks at"
                                    : "Hover or click a token to see the tokens it attends to";
  }
  if (frame.screen.padding_mode) said = "Click a token to pad it, so that no token attends to it";
  text_line(frame.ui,
            {{head, Font::sans_bold, text_size::body, theme.text},
             {said + rows, Font::sans, text_size::small, theme.quiet}},
            12.0F);
}

}  // namespace

void token_strip_part(Frame& frame, ImVec2 size) {
  if (!frame.trace) return;
  const float scale = frame.ui.scale();
  const float header = ImGui::GetCursorPosY() + frame.ui.px(24.0F);
  const ImVec2 room{size.x, std::max(size.y - header, frame.ui.px(40.0F))};
  refresh(frame, room.x / scale, room.y / scale, frame.screen.strip);
  PageTools tools = page_tools(frame);
  mark_strip(page_inputs(frame), tools, frame.screen.strip.spec);
  const TokenStripSpec& spec = frame.screen.strip.spec;
  const TokenStripLayout& layout = frame.screen.strip.layout;
  heading(frame, spec, rows_in_sight(layout));
  ImGui::SetCursorPosY(header);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Figure figure = draw_token_strip(spec, layout, frame.ui.theme());
  invisible_button("strip", room);
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), figure, origin, scale);

  const int before = n_before_queries(page_inputs(frame));
  frame.screen.hovered_token.reset();
  frame.screen.strip_row = layout.first_row;
  frame.screen.strip_header = header / scale;
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
