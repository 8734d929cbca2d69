#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/frame.h"
#include "app/parts/page_part.h"
#include "app/parts/setting_control.h"
#include "app/parts/stage_picker.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/page/lines/lines_page.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr float line_control_height = 44.0F;

void drawn_lines_note(Frame& frame) {
  static const std::array<std::string, 3> names{"weights", "effective", "after dropout"};
  constexpr std::array stages{StageKind::weights, StageKind::effective_weights, StageKind::dropped};
  const auto found = std::ranges::find(stages, frame.session.selection.stage);
  int kind = found == stages.end() ? 0 : static_cast<int>(found - stages.begin());
  const std::span<const std::string> offered(names.data(), frame.session.attention.has_dropout() ? 3 : 2);
  if (segmented(
          frame.ui, "lined stage", offered, kind,
          "Weights; effective weights: each key's share of what the head adds to a query, measured by its weight times the length of its value after W_O; or, if dropout is on, the weights that it leaves"))
    frame.emit(select_stage(stages.at(static_cast<std::size_t>(kind))));
}

void form_choice(Frame& frame) {
  static const std::array<std::string, 2> forms{"columns", "arcs"};
  int chosen = frame.session.lines.arcs ? 1 : 0;
  if (!segmented(frame.ui, "form of the lines", forms, chosen, setting("lines.arcs").sentence)) return;
  frame.emit(set_to("lines.arcs", chosen == 1));
}

/// The menu of the kinds of keys that get no lines, with a switch for each kind.
void hidden_keys_menu(Frame& frame) {
  LinesOptions lines = frame.session.lines;
  const std::array<std::pair<const char*, bool*>, 3> kinds{
      {{"the first token", &lines.hidden.first},
       {"special tokens, such as [CLS]", &lines.hidden.special},
       {"punctuation", &lines.hidden.punctuation}}};
  std::vector<std::string> entries;
  entries.reserve(kinds.size());
  for (const auto& [name, is_hidden] : kinds)
    entries.push_back(std::string(*is_hidden ? "Show " : "Hide ") + name);
  const auto chosen = menu(frame.ui, lines.hidden.any() ? "Keys hidden ▾###hide" : "Hide keys ▾###hide",
                           entries, setting("lines.hidden").sentence, ButtonStyle::plain);
  if (!chosen) return;
  bool& is_hidden = *kinds.at(static_cast<std::size_t>(*chosen)).second;
  is_hidden = !is_hidden;
  Session changed = frame.session;
  changed.lines = lines;
  frame.emit(set_to("lines.hidden", format_hidden_keys(changed)));
}

/// The switch that merges sub-words. Draws nothing if the text has none.
void whole_words_switch(Frame& frame) {
  const auto& tokens = frame.trace->tokens();
  if (!frame.session.lines.whole_words && std::ranges::none_of(tokens, &Token::continues_word)) return;
  setting_control(frame, "lines.whole_words");
}

/// The links that show all heads of the layer, all heads of the model, or none.
void head_links(Frame& frame) {
  const Architecture& a = frame.trace->architecture();
  const Selection& selection = frame.session.selection;
  const auto heads_of = [&](int first, int end) {
    std::vector<HeadIndex> heads;
    heads.reserve(static_cast<std::size_t>(end - first) * static_cast<std::size_t>(a.n_heads));
    for (int layer = first; layer < end; ++layer) {
      for (int head = 0; head < a.n_heads; ++head) heads.push_back({layer, head});
    }
    return heads;
  };
  const int n_layers = a.layers_of(selection.stack);
  const auto next_link = [&](const char* label, const char* tooltip) {
    continue_line(frame.ui.px(16.0F), link_width(frame.ui, label));
    return link(frame.ui, label, tooltip);
  };
  if (link(frame.ui, n_layers > 1 ? "All heads of the layer" : "All heads",
           "Draws the lines of all of them, each in its own colour"))
    frame.emit(set_selected(&Selection::heads, heads_of(selection.layer, selection.layer + 1)));
  if (n_layers > 1 && next_link("All heads of all layers", "Draws the lines of every head"))
    frame.emit(set_selected(&Selection::heads, heads_of(0, n_layers)));
  if (!selection.heads.empty() && next_link("The selected head alone", "Releases the picked heads"))
    frame.emit(set_selected(&Selection::heads, {}));
  if (!selection.picked.tokens.empty() && next_link("Lines of all tokens", "Releases the picked tokens"))
    frame.emit(set_selected(&Selection::picked, {}));
}

void line_controls(Frame& frame) {
  constexpr std::array controls{
      +drawn_lines_note,
      +form_choice,
      +[](Frame& frame) { setting_control(frame, "picture.line_threshold"); },
      +hidden_keys_menu,
  };
  constexpr float gap = 16.0F;
  constexpr float min_width = 130.0F;
  const float width = ImGui::GetContentRegionAvail().x;
  const auto n = static_cast<int>(controls.size());
  const int fitting =
      static_cast<int>((width + frame.ui.px(gap)) / (frame.ui.px(min_width) + frame.ui.px(gap)));
  controls_in_lines(frame, controls, fitting >= n ? n : 2, gap, line_control_height);
  whole_words_switch(frame);
}

/// The choice of the place, and the links that show several heads, on one line if there is room.
void places_line(Frame& frame) {
  const float top = ImGui::GetCursorPosY();
  place_picker(frame);
  const float taken = place_picker_width(frame);
  constexpr float height = 28.0F;
  constexpr float before_links = 24.0F;
  constexpr float above_links = 7.0F;
  constexpr float of_links = 420.0F;
  if (taken <= 0.0F || ImGui::GetContentRegionAvail().x < taken + frame.ui.px(before_links + of_links))
    return head_links(frame);
  ImGui::SameLine(0.0F, frame.ui.px(before_links));
  ImGui::SetCursorPosY(top + frame.ui.px(above_links));
  head_links(frame);
  ImGui::SetCursorPosY(top + frame.ui.px(height) + ImGui::GetStyle().ItemSpacing.y);
}

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
  frame.emit(set_selected(&Selection::picked, next));
}

void click_head(Frame& frame, const HeadIndex& place) {
  if (!picks_several()) {
    frame.emit(set_selected(&Selection::heads, {}));
    frame.emit(open_head(place));
    return;
  }
  const Selection& selection = frame.session.selection;
  std::vector<HeadIndex> heads = selection.heads;
  if (heads.empty()) heads.push_back({selection.layer, selection.head});
  if (std::erase(heads, place) == 0) heads.push_back(place);
  frame.emit(set_selected(&Selection::heads, heads));
}

}  // namespace

void lines_view(Frame& frame) {
  const Panel panel(frame.ui, "lines", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.screen.presents) {
    places_line(frame);
    line_controls(frame);
  }
  const PageMouse mouse = draw_page(frame, PageName::lines, PageDependency::token);
  const auto* end = mouse.on<LineToken>();
  const auto hovered = end == nullptr ? std::nullopt : std::optional(*end);
  if (frame.screen.hovered_line != hovered) {
    frame.screen.hovered_line = hovered;
    frame.ui.wake_in(0.0);
  }
  if (end != nullptr && mouse.clicked) click_token(frame, *end);
  if (const auto* tile = mouse.on<HeadIndex>()) {
    tooltip(frame.ui, "Layer " + std::to_string(tile->layer) + ", head " + std::to_string(tile->head) +
                          "\nClick to draw it alone, Ctrl+click to draw several.");
    if (mouse.clicked) click_head(frame, *tile);
  }
}

}  // namespace headscope
