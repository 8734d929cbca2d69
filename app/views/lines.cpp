#include "app/views/lines.h"

#include <algorithm>

#include "app/parts/line_controls.h"
#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/lines/lines_page.h"

namespace headscope {
namespace {

bool picks_several() {
  return ImGui::GetIO().KeyCtrl || ImGui::GetIO().KeyShift;
}

/// The picked tokens with this one added, or removed if it was picked.
PickedTokens toggled(const Session& session, const LineToken& end) {
  PickedTokens picked = session.selection.picked;
  if (picked.are_keys != end.is_key) picked = {end.is_key, {}};
  if (std::erase(picked.tokens, end.token) == 0) picked.tokens.push_back(end.token);
  std::ranges::sort(picked.tokens);
  return picked;
}

void click_token(Frame& frame, const LineToken& end) {
  const PickedTokens& picked = frame.session.selection.picked;
  const PickedTokens alone{end.is_key, {end.token}};
  const PickedTokens next = picks_several()   ? toggled(frame.session, end)
                            : picked == alone ? PickedTokens{}
                                              : alone;
  if (!end.is_key && !next.tokens.empty()) frame.emit(SelectToken{end.token});
  frame.emit(PickTokens{next});
}

void click_head(Frame& frame, const HeadPlace& place) {
  if (!picks_several()) {
    frame.emit(PickHeads{});
    frame.emit(OpenHead{place});
    return;
  }
  const Selection& selection = frame.session.selection;
  std::vector<HeadPlace> heads = selection.heads;
  if (heads.empty()) heads.push_back({selection.layer, selection.head});
  if (std::erase(heads, place) == 0) heads.push_back(place);
  frame.emit(PickHeads{heads});
}

}  // namespace

void lines_view(Frame& frame) {
  const Panel panel(frame.ui, "lines", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  if (!frame.screen.presents) {
    place_picker(frame);
    line_controls(frame);
  }
  const PageAnswer mouse = page_part(frame, PageName::lines, ImGui::GetContentRegionAvail(), Follows::token);
  const auto* end = mouse.on<LineToken>();
  const auto hovered = end == nullptr ? std::nullopt : std::optional(*end);
  if (frame.screen.hovered_line != hovered) {
    frame.screen.hovered_line = hovered;
    frame.ui.wake_in(0.0);
  }
  if (end != nullptr && mouse.clicked) click_token(frame, *end);
  if (const auto* tile = mouse.on<HeadTile>()) {
    tooltip(frame.ui, "Layer " + std::to_string(tile->place.layer) + ", head " +
                          std::to_string(tile->place.head) +
                          "\nClick to draw it alone, Ctrl+click to draw several.");
    if (mouse.clicked) click_head(frame, tile->place);
  }
}

}  // namespace headscope
