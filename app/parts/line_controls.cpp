#include "app/parts/line_controls.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/setting_control.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr float line_control_height = 44.0F;

void what_is_drawn(Frame& frame) {
  static const std::array<std::string, 3> names{"weights", "effective", "after dropout"};
  constexpr std::array stages{StageKind::weights, StageKind::effective_weights, StageKind::dropped};
  const auto found = std::ranges::find(stages, frame.session.selection.stage);
  int kind = found == stages.end() ? 0 : static_cast<int>(found - stages.begin());
  const std::span<const std::string> offered(names.data(), frame.session.attention.drops() ? 3 : 2);
  if (segmented(
          frame.ui, "lined stage", offered, kind,
          "Weights; effective weights: each key's share of what the head adds to a query, measured by its weight times the length of its value after W_O; or, if dropout is on, the weights that it leaves"))
    frame.emit(SelectStage{stages.at(static_cast<std::size_t>(kind))});
}

void form_choice(Frame& frame) {
  LinesOptions lines = frame.session.lines;
  static const std::array<std::string, 2> forms{"columns", "arcs"};
  int chosen = lines.arcs ? 1 : 0;
  if (!segmented(frame.ui, "form of the lines", forms, chosen, setting("lines.arcs").sentence)) return;
  lines.arcs = chosen == 1;
  frame.emit(SetLines{lines});
}

void threshold_slider(Frame& frame) {
  setting_control(frame, "picture.line_threshold");
}

/// The menu of the keys without lines. Each kind has a switch.
void hidden_keys_menu(Frame& frame) {
  LinesOptions lines = frame.session.lines;
  const std::array<std::pair<const char*, bool*>, 3> kinds{
      {{"the first token", &lines.hidden.first},
       {"special tokens, such as [CLS]", &lines.hidden.special},
       {"punctuation", &lines.hidden.punctuation}}};
  std::vector<std::string> entries;
  for (const auto& [name, is_hidden] : kinds)
    entries.push_back(std::string(*is_hidden ? "Show " : "Hide ") + name);
  const auto chosen = menu(frame.ui, lines.hidden.any() ? "Keys hidden ▾###hide" : "Hide keys ▾###hide",
                           entries, setting("lines.hidden").sentence, ButtonLook::plain);
  if (!chosen) return;
  bool& is_hidden = *kinds.at(static_cast<std::size_t>(*chosen)).second;
  is_hidden = !is_hidden;
  frame.emit(SetLines{lines});
}

/// The switch that merges sub-words, where a text has any.
void whole_words_switch(Frame& frame) {
  const auto& tokens = frame.trace->tokens();
  LinesOptions lines = frame.session.lines;
  if (!lines.whole_words && std::ranges::none_of(tokens, &Token::continues_word)) return;
  if (toggle(frame.ui, "Whole words", lines.whole_words, setting("lines.whole_words").sentence))
    frame.emit(SetLines{lines});
}

/// The links that show all heads of the layer, all heads of the model, or none.
void head_links(Frame& frame) {
  const Architecture& a = frame.trace->architecture();
  const Selection& selection = frame.session.selection;
  const auto heads_of = [&](int first, int end) {
    std::vector<HeadPlace> heads;
    heads.reserve(static_cast<std::size_t>(end - first) * static_cast<std::size_t>(a.n_heads));
    for (int layer = first; layer < end; ++layer) {
      for (int head = 0; head < a.n_heads; ++head) heads.push_back({layer, head});
    }
    return heads;
  };
  const auto next_link = [&](const char* label, const char* tooltip) {
    continue_line(frame.ui.px(16.0F), link_width(frame.ui, label));
    return link(frame.ui, label, tooltip);
  };
  if (link(frame.ui, a.n_layers > 1 ? "All heads of the layer" : "All heads",
           "Draws the lines of all of them, each in its own colour"))
    frame.emit(PickHeads{heads_of(selection.layer, selection.layer + 1)});
  if (a.n_layers > 1 && next_link("All heads of all layers", "Draws the lines of every head"))
    frame.emit(PickHeads{heads_of(0, a.n_layers)});
  if (!selection.heads.empty() && next_link("The selected head alone", "Releases the picked heads"))
    frame.emit(PickHeads{});
  if (!selection.picked.tokens.empty() && next_link("Lines of all tokens", "Releases the picked tokens"))
    frame.emit(PickTokens{});
}

}  // namespace

void line_controls(Frame& frame) {
  const Ui& ui = frame.ui;
  const std::array controls{
      +what_is_drawn,
      +form_choice,
      +threshold_slider,
      +hidden_keys_menu,
  };
  constexpr float gap_width = 16.0F;
  constexpr float least_width = 130.0F;
  const float width = ImGui::GetContentRegionAvail().x;
  const float gap = ui.px(gap_width);
  const auto n = static_cast<int>(controls.size());
  const int fitting = static_cast<int>((width + gap) / (ui.px(least_width) + gap));
  const int in_line = fitting >= n ? n : 2;
  const float each = (width - gap * static_cast<float>(in_line - 1)) / static_cast<float>(in_line);
  for (int i = 0; i < n; ++i) {
    if (i % in_line != 0) ImGui::SameLine(0.0F, gap);
    const std::string id = "line control " + std::to_string(i);
    const LinePart part(id.c_str(), {each, ui.px(line_control_height)});
    controls[static_cast<std::size_t>(i)](frame);
  }
  head_links(frame);
  whole_words_switch(frame);
}

}  // namespace headscope
