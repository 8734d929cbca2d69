#include "app/parts/place_picker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/tabs.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

/// The tabs for the encoder, the decoder's self-attention and cross-attention.
std::array<Tab, 3> attentions(const Frame& frame) {
  const auto tooltip = [&](const char* meaning) {
    return frame.with_keys(meaning, CommandId::next_attention);
  };
  return {{{"Encoder", "", tooltip("The source sentence attends to itself")},
           {"Decoder", "", tooltip("The target sentence attends to itself, masked before the softmax")},
           {"Cross", "", tooltip("The decoder's queries attend to the encoder's output")}}};
}

void attention_choice(Frame& frame) {
  int which = attention_index(frame.session.selection);
  const auto kinds = attentions(frame);
  if (!tabs(frame.ui, "attention", kinds, which, tabs_width(frame.ui, kinds))) return;
  frame.emit(place_of_attention(which, frame.session.selection));
}

constexpr const char* layer_word = "Layer";
constexpr float after_word = 6.0F;

/// " (Page Up, Page Down)".
std::string layer_keys(const Frame& frame) {
  return " (" + frame.keys_of(CommandId::previous_layer) + ", " + frame.keys_of(CommandId::next_layer) + ")";
}

std::vector<Tab> layer_tabs(const Frame& frame, int n_layers) {
  const std::string keys = layer_keys(frame);
  std::vector<Tab> layers;
  layers.reserve(static_cast<std::size_t>(n_layers));
  for (int l = 0; l < n_layers; ++l)
    layers.push_back({std::to_string(l), "", "Layer " + std::to_string(l) + keys});
  return layers;
}

float word_width(const Ui& ui) {
  return std::ceil(ui.measure()(layer_word, Font::sans, text_size::body).width * ui.scale()) +
         ui.px(after_word);
}

/// Whether the layers are so many that a list replaces their tabs.
bool is_list(Ui& ui, std::span<const Tab> layers) {
  constexpr float most = 140.0F;
  return tabs_width(ui, layers) > ui.px(most);
}

constexpr float list_width = 56.0F;

float layer_choice_width(Ui& ui, std::span<const Tab> layers) {
  return is_list(ui, layers) ? ui.px(list_width) : tabs_width(ui, layers);
}

/// The list of layers. The cursor stays in the line.
bool layer_list(Frame& frame, std::span<const Tab> layers, int& layer) {
  std::vector<std::string> names;
  names.reserve(layers.size());
  for (const Tab& each : layers) names.push_back(each.name);
  const LinePart part("layer list", {frame.ui.px(list_width), frame.ui.px(28.0F)});
  return combo(frame.ui, "##layer", names, layer, ("The layer" + layer_keys(frame)).c_str());
}

void layer_choice(Frame& frame, int n_layers) {
  const Selection& selection = frame.session.selection;
  int layer = selection.layer;
  const std::vector<Tab> layers = layer_tabs(frame, n_layers);
  constexpr float height = 28.0F;
  caption(frame.ui, {layer_word, Font::sans, text_size::body, frame.ui.theme().quiet}, height, after_word);
  const bool chosen = is_list(frame.ui, layers)
                          ? layer_list(frame, layers, layer)
                          : tabs(frame.ui, "layer", layers, layer, tabs_width(frame.ui, layers));
  if (chosen) frame.emit(SelectPlace{selection.stack, layer, selection.attention});
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

/// Whether there is more than one kind of attention to choose from.
bool has_attentions(const Architecture& a) {
  return a.has_cross() && a.has_self();
}

/// Whether there is more than one stack, attention or layer to choose from.
bool has_places(const Frame& frame) {
  const Architecture& a = frame.trace->architecture();
  return has_attentions(a) || a.n_layers > 1;
}

}  // namespace

float place_picker_width(const Frame& frame) {
  if (!has_places(frame)) return 0.0F;
  const Architecture& a = frame.trace->architecture();
  constexpr float apart = 16.0F;
  float width = 0.0F;
  if (has_attentions(a)) width += tabs_width(frame.ui, attentions(frame)) + frame.ui.px(apart);
  if (a.n_layers > 1)
    width += word_width(frame.ui) + layer_choice_width(frame.ui, layer_tabs(frame, a.n_layers)) +
             frame.ui.px(apart);
  return width;
}

void place_picker(Frame& frame) {
  if (!has_places(frame)) return;
  const Architecture& a = frame.trace->architecture();
  if (has_attentions(a)) {
    attention_choice(frame);
    if (a.n_layers > 1) ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  }
  if (a.n_layers > 1) layer_choice(frame, a.n_layers);
}

}  // namespace headscope
