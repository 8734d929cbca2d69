#include "app/parts/place_picker.h"

#include <array>

#include "app/widgets/controls.h"
#include "app/widgets/tabs.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

/// Encoder, decoder's own, or cross-attention.
void attention_choice(Frame& frame) {
  static const std::array<Tab, 3> kinds{
      {{"Encoder", "", "The source sentence attends to itself (A)"},
       {"Decoder", "", "The target sentence attends to itself, masked before the softmax (A)"},
       {"Cross", "", "The decoder's queries attend to the encoder's output (A)"}}};
  int which = attention_index(frame.session.selection);
  if (!tabs(frame.ui, "attention", kinds, which, tabs_width(frame.ui, kinds))) return;
  frame.emit(place_of_attention(which, frame.session.selection));
}

void layer_choice(Frame& frame, int n_layers) {
  std::vector<Tab> layers;
  layers.reserve(static_cast<std::size_t>(n_layers));
  for (int l = 0; l < n_layers; ++l) {
    layers.push_back({std::to_string(l), "", "Layer " + std::to_string(l) + " (Page Up, Page Down)"});
  }
  const Selection& selection = frame.session.selection;
  int layer = selection.layer;
  const float top = ImGui::GetCursorPosY();
  // In the middle of the tabs' height.
  ImGui::SetCursorPosY(top + frame.ui.px(6.0F));
  text(frame.ui, "layer", Font::sans, text_size::body, frame.ui.theme().quiet);
  ImGui::SameLine(0.0F, frame.ui.px(6.0F));
  ImGui::SetCursorPosY(top);
  if (tabs(frame.ui, "layer", layers, layer)) {
    frame.emit(SelectPlace{selection.stack, layer, selection.attention});
  }
}

}  // namespace

int attention_index(const Selection& selection) {
  if (selection.stack == Stack::encoder) return 0;
  return selection.attention == AttentionKind::self ? 1 : 2;
}

SelectPlace place_of_attention(int index, const Selection& selection) {
  return {index == 0 ? Stack::encoder : Stack::decoder, selection.layer,
          index == 2 ? AttentionKind::cross : AttentionKind::self};
}

namespace {

const char* compare_label(const Frame& frame) {
  return frame.session.held.empty() ? "Compare" : "Compare with A";
}

bool is_covered(const Session& session) {
  return session.cover.is_over(
      canonical(session.architecture, session.selection.at(session.selection.stage)));
}

const char* cover_label(const Frame& frame) {
  return is_covered(frame.session) ? "Uncover" : "Cover";
}

constexpr float between_links = 16.0F;

float width_of_link(const Frame& frame, const char* label) {
  return frame.ui.measure()(label, Font::sans, text_size::control).width * frame.ui.scale();
}

/// Ends `right` of the cursor.
void cover_link(Frame& frame, float right) {
  const ImVec2 start = ImGui::GetCursorPos();
  ImGui::SetCursorPos(
      {start.x + right - width_of_link(frame, cover_label(frame)), start.y + frame.ui.px(6.0F)});
  if (link(frame.ui, cover_label(frame),
           is_covered(frame.session) ? "Show all numbers again (W)"
                                     : "Hide the numbers, to find them yourself (W)"))
    frame.emit(CommandId::toggle_cover);
  ImGui::SetCursorPos(start);
}

/// Ends `right` of the cursor.
void compare_link(Frame& frame, float right) {
  const bool holds = !frame.session.held.empty();
  const char* meaning = holds ? "What is held and what you see, beside each other (Ctrl+9)"
                              : "What you see becomes A; what you change from then on is B, beside it";
  const ImVec2 start = ImGui::GetCursorPos();
  const float width = width_of_link(frame, compare_label(frame));
  cover_link(frame, right - width - frame.ui.px(between_links));
  ImGui::SetCursorPos({start.x + right - width, start.y + frame.ui.px(6.0F)});
  if (link(frame.ui, compare_label(frame), meaning)) {
    if (!holds) frame.emit(Hold{});
    frame.emit(SetView{PageName::compare});
  }
  ImGui::SetCursorPos(start);
}

/// Whether there is more than one attention in a layer of either stack.
bool has_attentions(const Architecture& a) {
  return a.has_cross() && a.has_self();
}

/// Whether there is a stack, an attention or a layer to choose.
bool has_places(const Frame& frame) {
  const Architecture& a = frame.trace->architecture();
  return has_attentions(a) || a.n_layers > 1;
}

}  // namespace

void place_picker(Frame& frame) {
  if (!has_places(frame)) return;
  const Architecture& a = frame.trace->architecture();
  if (frame.session.view != PageName::compare) compare_link(frame, ImGui::GetContentRegionAvail().x);
  if (has_attentions(a)) {
    attention_choice(frame);
    if (a.n_layers > 1) ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  }
  if (a.n_layers > 1) layer_choice(frame, a.n_layers);
}

float compare_part(Frame& frame, float right) {
  if (has_places(frame) || frame.session.view == PageName::compare) return 0.0F;
  compare_link(frame, right);
  return 2.0F * frame.ui.px(between_links) + width_of_link(frame, cover_label(frame)) +
         width_of_link(frame, compare_label(frame));
}

}  // namespace headscope
