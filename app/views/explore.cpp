#include <algorithm>

#include "app/parts/number_editor.h"
#include "app/parts/page_part.h"
#include "app/parts/stage_picker.h"
#include "app/ui/figure_painter.h"
#include "app/views/views.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/pages.h"
#include "core/trace/given_stage.h"

namespace headscope {
namespace {

/// Describes a token: "“it”: target token 3, id 57. The model does not know this word …".
std::string token_sentence(const TokenStripSpec& spec, int index, int n_before) {
  const auto at = static_cast<std::size_t>(index);
  const bool is_key = index < n_before;
  const std::string role = n_before == 0 ? ": token " : is_key ? ": source token " : ": target token ";
  const char* known =
      spec.unknown[at] ? ". The model does not know this word and uses a trained placeholder" : "";
  return quoted_word(spec.tokens[at]) + role + std::to_string(is_key ? index : index - n_before) + ", id " +
         std::to_string(spec.ids[at]) + known;
}

/// Says what a click on a token would do, at the end of the strip's first line if there is room.
void hint(Frame& frame, const PageMouse& mouse) {
  const TokenStripSpec& spec = frame.screen.memo.strip.spec;
  std::string message;
  if (!spec.selected && !can_be_given(frame.session.selection.stage)) {
    message = spec.first_of_second > 0 ? "Source, then target: click a target token to see what it looks at"
                                       : "Hover or click a token to see the tokens it attends to";
  }
  if (message.empty()) return;
  constexpr float gap = 16.0F;
  const TextSize size = frame.ui.page_measure()(message, Font::sans, text_size::small);
  const float left = mouse.page->figure.width - size.width;
  const bool has_room = std::ranges::any_of(mouse.page->regions, [&](const HitRegion& region) {
    const auto* strip = std::get_if<SentenceArea>(&region.meaning);
    return strip != nullptr && region.box.x + strip->caption_width + gap <= left;
  });
  if (!has_room) return;
  Figure figure;
  figure.items.emplace_back(Label{message, {left, 2.0F}, frame.ui.theme().quiet, text_size::small});
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), figure, mouse.origin, frame.ui.page_scale());
}

/// Scrolls the rows of a long sentence with a drag.
void drag_rows(Frame& frame, const SentenceArea& strip) {
  const int last = strip.n_rows - strip.n_visible_rows;
  const float row = frame.screen.memo.strip.layout.row_height * frame.ui.page_scale();
  if (last <= 0 || row <= 0.0F || !ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return;
  const int rows = static_cast<int>(ImGui::GetMouseDragDelta(ImGuiMouseButton_Left).y / row);
  if (rows == 0) return;
  frame.screen.strip_row = std::clamp(strip.first_row - rows, 0, last);
  ImGui::ResetMouseDragDelta(ImGuiMouseButton_Left);
  frame.ui.wake_in(0.0);
}

/// Handles the mouse on the strip: a click selects or pads a token, and the wheel scrolls the rows of a long
/// sentence.
void handle_strip_mouse(Frame& frame, const PageMouse& mouse) {
  ScreenState& screen = frame.screen;
  const auto* strip = mouse.within<SentenceArea>();
  if (strip == nullptr) return;
  const float wheel = ImGui::GetIO().MouseWheel;
  const bool is_the_views = screen.view_scrolls && !ImGui::GetIO().KeyCtrl;
  if (wheel != 0.0F && !is_the_views && strip->n_visible_rows < strip->n_rows) {
    screen.strip_row =
        std::clamp(strip->first_row - (wheel > 0.0F ? 1 : -1), 0, strip->n_rows - strip->n_visible_rows);
    frame.ui.wake_in(0.0);
  }
  drag_rows(frame, *strip);
  const auto* token = mouse.on<TokenArea>();
  const TokenStripSpec& spec = screen.memo.strip.spec;
  if (token == nullptr || token->place >= static_cast<int>(spec.tokens.size())) return;
  const int before = n_before_queries(page_inputs(frame));
  const bool is_query = token->place >= before;
  if (is_query) screen.hovered_token = token->place - before;
  tooltip(frame.ui, token_sentence(spec, token->place, before));
  if (!mouse.clicked) return;
  const bool is_key = before == 0 || !is_query;
  if (screen.is(ClickMode::padding) && is_key) {
    frame.emit(toggle_padding(token->place));
  } else if (is_query && !screen.is(ClickMode::padding)) {
    // Keeps the visible rows in place.
    screen.strip_row = strip->first_row;
    frame.emit(SelectToken{token->place - before});
  }
}

/// Scrolls to the selected token when it changes elsewhere.
void follow_selection(Frame& frame) {
  ScreenState& screen = frame.screen;
  const auto& selected = frame.session.selection.token;
  // The selected token to whose row the strip was scrolled last.
  std::optional<int>& followed = screen.own.of<std::optional<int>>("followed token");
  if (followed == selected) return;
  const TokenStripLayout& layout = screen.memo.strip.layout;
  const int place = selected.value_or(0) + n_before_queries(page_inputs(frame));
  if (selected && place >= static_cast<int>(layout.boxes.size())) return;  // its pass is being computed
  followed = selected;
  if (selected && !layout.is_visible(place)) screen.strip_row.reset();
}

void handle_heads_mouse(Frame& frame, const PageMouse& mouse) {
  if (!mouse.clicked || frame.screen.marks_cells()) return;
  if (const auto* head = mouse.on<HeadIndex>()) frame.emit(select_head(head->head));
  const auto* cells = mouse.on<StageCells>();
  if (cells == nullptr || info(cells->stage.kind).scope != StageScope::head) return;
  if (cells->stage.head != frame.session.selection.head) frame.emit(select_head(cells->stage.head));
}

}  // namespace

void explore_view(Frame& frame) {
  const Panel panel(frame.ui, "explore", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.screen.presents) stage_bar(frame);
  // Draw the link first, so that it gets the mouse, but paint it over the page.
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  if (!frame.screen.presents) edit_link_at_end(frame);
  list.ChannelsSetCurrent(0);
  const PageMouse mouse = draw_page(frame, PageName::explore, PageDependency::token);
  list.ChannelsMerge();
  hint(frame, mouse);
  const auto before = frame.screen.hovered_token;
  frame.screen.hovered_token.reset();
  follow_selection(frame);
  handle_strip_mouse(frame, mouse);
  handle_heads_mouse(frame, mouse);
  if (frame.screen.hovered_token != before) frame.ui.wake_in(0.0);
}

}  // namespace headscope
