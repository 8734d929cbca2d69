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

constexpr float after_word = 6.0F;

/// Describes a choice by number: the word before the numbers, such as “Layer”, and the keys that step through
/// them, “ (Page Up, Page Down)”.
struct NumberedChoice {
  const char* word;
  std::string keys;
};

NumberedChoice layers(const Frame& frame) {
  return {"Layer", " (" + frame.keys_of(CommandId::previous_layer) + ", " +
                       frame.keys_of(CommandId::next_layer) + ")"};
}

NumberedChoice heads(const Frame& frame) {
  return {"Head",
          " (" + frame.keys_of(CommandId::previous_head) + ", " + frame.keys_of(CommandId::next_head) + ")"};
}

std::vector<Tab> tabs_of(const NumberedChoice& choice, int n) {
  std::vector<Tab> all;
  all.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    all.push_back({std::to_string(i), "", choice.word + (" " + std::to_string(i)) + choice.keys});
  return all;
}

float word_width(const Ui& ui, const NumberedChoice& choice) {
  return std::ceil(ui.measure()(choice.word, Font::sans, text_size::body).width * ui.scale()) +
         ui.px(after_word);
}

/// Whether there are so many that a list replaces the tabs, if it has not been asked for.
bool is_list(Ui& ui, std::span<const Tab> all, LayerNumbers numbers) {
  constexpr float most = 140.0F;
  return numbers == LayerNumbers::list || tabs_width(ui, all) > ui.px(most);
}

constexpr float list_width = 48.0F;

float choice_width(Ui& ui, std::span<const Tab> all, LayerNumbers numbers) {
  return is_list(ui, all, numbers) ? ui.px(list_width) : tabs_width(ui, all);
}

/// The numbers as a list. The cursor stays in the line.
bool number_list(Frame& frame, const NumberedChoice& choice, std::span<const Tab> all, int& number) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Tab& each : all) names.push_back(each.name);
  const InlineChild part(choice.word, {frame.ui.px(list_width), frame.ui.px(28.0F)});
  return combo(frame.ui, "##number", names, number, (choice.word + choice.keys).c_str());
}

/// The word and the numbers from 0 to n − 1. Returns whether another one was chosen.
bool number_choice(Frame& frame, const NumberedChoice& choice, int n, LayerNumbers numbers, int& number) {
  const std::vector<Tab> all = tabs_of(choice, n);
  constexpr float height = 28.0F;
  caption(frame.ui, {choice.word, Font::sans, text_size::body, frame.ui.theme().quiet}, height, after_word);
  return is_list(frame.ui, all, numbers)
             ? number_list(frame, choice, all, number)
             : tabs(frame.ui, choice.word, all, number, tabs_width(frame.ui, all));
}

void layer_choice(Frame& frame, int n_layers, LayerNumbers numbers) {
  const Selection& selection = frame.session.selection;
  int layer = selection.layer;
  if (number_choice(frame, layers(frame), n_layers, numbers, layer))
    frame.emit(SelectPlace{selection.stack, layer, selection.attention});
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

float place_picker_width(const Frame& frame, LayerNumbers numbers) {
  if (!has_places(frame)) return 0.0F;
  const Architecture& a = frame.trace->architecture();
  constexpr float apart = 16.0F;
  float width = 0.0F;
  if (has_attentions(a)) width += tabs_width(frame.ui, attentions(frame)) + frame.ui.px(apart);
  if (a.n_layers > 1)
    width += word_width(frame.ui, layers(frame)) +
             choice_width(frame.ui, tabs_of(layers(frame), a.n_layers), numbers) + frame.ui.px(apart);
  return width;
}

void place_picker(Frame& frame, LayerNumbers numbers) {
  if (!has_places(frame)) return;
  const Architecture& a = frame.trace->architecture();
  if (has_attentions(a)) {
    attention_choice(frame);
    if (a.n_layers > 1) ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  }
  if (a.n_layers > 1) layer_choice(frame, a.n_layers, numbers);
}

bool head_picker(Frame& frame) {
  place_picker(frame);
  const int n_heads = frame.trace->architecture().n_heads;
  if (n_heads < 2) return has_places(frame);
  if (has_places(frame)) ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  int head = frame.session.selection.head;
  if (number_choice(frame, heads(frame), n_heads, LayerNumbers::side_by_side, head))
    frame.emit(SelectHead{head});
  return true;
}

}  // namespace headscope
