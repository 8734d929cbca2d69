#include "app/parts/stage_picker.h"

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
#include "core/text/number_text.h"

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
bool is_list(Ui& ui, std::span<const Tab> all, bool as_list) {
  constexpr float most = 140.0F;
  return as_list || tabs_width(ui, all) > ui.px(most);
}

constexpr float list_width = 48.0F;

float choice_width(Ui& ui, std::span<const Tab> all, bool as_list) {
  return is_list(ui, all, as_list) ? ui.px(list_width) : tabs_width(ui, all);
}

/// The numbers as a list. The cursor stays in the line.
bool number_list(Frame& frame, const NumberedChoice& choice, std::span<const Tab> all, int& number) {
  const std::vector<std::string> names = listed(all, &Tab::name);
  const InlineChild part(choice.word, {frame.ui.px(list_width), frame.ui.px(28.0F)});
  return combo(frame.ui, "##number", names, number, (choice.word + choice.keys).c_str());
}

/// The word and the numbers from 0 to n − 1. Returns whether another one was chosen.
bool number_choice(Frame& frame, const NumberedChoice& choice, int n, bool as_list, int& number) {
  const std::vector<Tab> all = tabs_of(choice, n);
  constexpr float height = 28.0F;
  caption(frame.ui, {choice.word, Font::sans, text_size::body, frame.ui.theme().quiet}, height, after_word);
  return is_list(frame.ui, all, as_list)
             ? number_list(frame, choice, all, number)
             : tabs(frame.ui, choice.word, all, number, tabs_width(frame.ui, all));
}

void layer_choice(Frame& frame, int n_layers, bool as_list) {
  const Selection& selection = frame.session.selection;
  int layer = selection.layer;
  if (number_choice(frame, layers(frame), n_layers, as_list, layer))
    frame.emit(select_place(selection.stack, layer, selection.attention));
}

}  // namespace

int attention_index(const Selection& selection) {
  if (selection.stack == Stack::encoder) return 0;
  return selection.attention == AttentionKind::self ? 1 : 2;
}

SessionEdit place_of_attention(int index, const Selection& selection) {
  return select_place(index == 0 ? Stack::encoder : Stack::decoder, selection.layer,
                      index == 2 ? AttentionKind::cross : AttentionKind::self);
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

float place_picker_width(const Frame& frame, bool as_list) {
  if (!has_places(frame)) return 0.0F;
  const Architecture& a = frame.trace->architecture();
  constexpr float apart = 16.0F;
  float width = 0.0F;
  if (has_attentions(a)) width += tabs_width(frame.ui, attentions(frame)) + frame.ui.px(apart);
  if (a.n_layers > 1)
    width += word_width(frame.ui, layers(frame)) +
             choice_width(frame.ui, tabs_of(layers(frame), a.n_layers), as_list) + frame.ui.px(apart);
  return width;
}

void place_picker(Frame& frame, bool as_list) {
  if (!has_places(frame)) return;
  const Architecture& a = frame.trace->architecture();
  if (has_attentions(a)) {
    attention_choice(frame);
    if (a.n_layers > 1) ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  }
  if (a.n_layers > 1) layer_choice(frame, a.n_layers, as_list);
}

bool head_picker(Frame& frame) {
  place_picker(frame);
  const int n_heads = frame.trace->architecture().n_heads;
  if (n_heads < 2) return has_places(frame);
  if (has_places(frame)) ImGui::SameLine(0.0F, frame.ui.px(16.0F));
  int head = frame.session.selection.head;
  if (number_choice(frame, heads(frame), n_heads, false, head)) frame.emit(select_head(head));
  return true;
}

namespace {

/// The name on a stage's tab, without the prefix that all names of its layer share. A name that would then
/// repeat "input" or "output" is given in full.
std::string tab_name(const StageInfo& about, bool details) {
  if (!details && !about.landmark.empty()) return std::string(about.landmark);
  constexpr std::string_view prefix = "feed_forward.";
  std::string name = !about.tab.empty()               ? std::string(about.tab)
                     : about.name.starts_with(prefix) ? "ff " + std::string(about.name.substr(prefix.size()))
                                                      : std::string(about.name);
  std::ranges::replace(name, '_', ' ');
  return name;
}

}  // namespace

std::vector<StageKind> pickable_stages(const Trace& trace, const Selection& place, bool parameters) {
  std::vector<StageKind> kinds;
  const bool one_layer = trace.architecture().n_layers == 1;
  for (const StageInfo& stage : all_stage_kinds()) {
    if (stage.is_parameter() != parameters || (one_layer && stage.repeats)) continue;
    if (trace.has(place.at(stage.kind))) kinds.push_back(stage.kind);
  }
  return kinds;
}

namespace {

constexpr float before_switch = 12.0F;
constexpr float switch_width = 172.0F;

/// Whether the line of stages has the switch between attention and parameters. Without details, it appears
/// only as the way back from a parameter.
bool has_switch(const Frame& frame) {
  return frame.session.picture.details || info(frame.session.selection.stage).is_parameter();
}

/// The main steps from a layer's input to a head's output, and the selected stage in its place.
std::vector<StageKind> landmarks(const Trace& trace, const Selection& place) {
  std::vector<StageKind> kinds;
  for (const StageInfo& stage : all_stage_kinds()) {
    const bool is_shown = !stage.landmark.empty() || stage.kind == place.stage;
    if (is_shown && trace.has(place.at(stage.kind))) kinds.push_back(stage.kind);
  }
  return kinds;
}

/// The sign between two steps on the way of the data. Queries, keys and values follow from the same rows.
std::string sign_between(const StageInfo& before, const StageInfo& after) {
  const bool are_beside = before.section == PageSection::projections && before.section == after.section;
  return are_beside ? "·" : "→";
}

/// The part of the pass that a stage belongs to, as a heading of the menu. Empty if it belongs to the part of
/// the stage before it.
std::string heading_of(const StageInfo& stage) {
  if (stage.is_parameter()) return "Parameters";
  switch (stage.section) {
    case PageSection::model_input:
    case PageSection::layer_input:
      return "Input";
    case PageSection::projections:
      return "Queries, keys and values";
    case PageSection::scores:
      return "Scores";
    case PageSection::weights:
      return "Weights and outputs of heads";
    case PageSection::model_width:
      return "All heads together";
    case PageSection::feed_forward:
      return "Feed-forward layer";
    case PageSection::model_output:
      return "Prediction";
    case PageSection::none:
      break;
  }
  return {};
}

/// A menu of the stages and parameters of the layer that have no tab.
void more_stages(Frame& frame, const char* label, std::span<const StageKind> with_tabs, ImVec2 at) {
  std::vector<StageKind> kinds;
  std::vector<std::string> titles;
  std::vector<std::string> headings;
  std::string before;
  for (const bool parameters : {false, true}) {
    for (const StageKind kind : pickable_stages(*frame.trace, frame.session.selection, parameters)) {
      if (std::ranges::find(with_tabs, kind) != with_tabs.end()) continue;
      const StageInfo& about = info(kind);
      const bool is_only = std::ranges::count(all_stage_kinds(), about.title, &StageInfo::title) == 1;
      kinds.push_back(kind);
      titles.push_back(std::string(about.title) + (is_only ? "" : " (" + tab_name(about, true) + ")"));
      const std::string heading = heading_of(about);
      headings.push_back(heading == before ? "" : heading);
      if (!heading.empty()) before = heading;
    }
  }
  const ImVec2 below = ImGui::GetCursorPos();
  ImGui::SetCursorPos({at.x, at.y + frame.ui.px(6.0F)});
  if (const auto chosen =
          link_menu(frame.ui, label, titles, "The other stages, and the parameters", headings))
    frame.emit(select_stage(kinds[static_cast<std::size_t>(*chosen)]));
  ImGui::SetCursorPos(below);
}

/// The tabs of a place's stages.
struct StageTabs {
  std::vector<StageKind> kinds;
  std::vector<Tab> tabs;
  int selected = 0;
  /// The tabs are the way from the input to the output, and a link beside them has the other stages.
  bool is_way = false;
};

StageTabs tabs_of_stages(const Frame& frame, const Selection& place) {
  const bool details = frame.session.picture.details;
  const bool parameters = info(place.stage).is_parameter();
  StageTabs all;
  all.is_way = !details && !parameters;
  all.kinds = all.is_way ? landmarks(*frame.trace, place) : pickable_stages(*frame.trace, place, parameters);
  for (const StageKind kind : all.kinds) {
    const std::size_t index = all.tabs.size();
    if (kind == place.stage) all.selected = static_cast<int>(index);
    const StageInfo& about = info(kind);
    const Extent size = details ? frame.trace->extent(selected_stage(frame, kind)) : Extent{};
    all.tabs.push_back({tab_name(about, details),
                        details ? std::to_string(size.rows) + "×" + std::to_string(size.cols) : "",
                        std::string(about.title) + ". " + std::string(about.meaning),
                        all.is_way && index > 0 ? sign_between(info(all.kinds[index - 1]), about) : ""});
  }
  return all;
}

constexpr float before_others = 8.0F;

/// The width of the whole way with its link, in ImGui pixels, whatever stage is selected. 0 if the tabs are
/// no way.
float way_width(const Frame& frame) {
  Selection place = frame.session.selection;
  place.stage = StageKind::weights;
  const StageTabs all = tabs_of_stages(frame, place);
  if (!all.is_way) return 0.0F;
  return tabs_width(frame.ui, all.tabs) + frame.ui.px(before_others) + link_width(frame.ui, "others");
}

}  // namespace

void stage_tabs(Frame& frame, float width) {
  const StageTabs stages = tabs_of_stages(frame, frame.session.selection);
  const float gap = frame.ui.px(before_others);
  const float all = tabs_width(frame.ui, stages.tabs);
  const char* others = all + gap + link_width(frame.ui, "others") <= width ? "others" : "…";
  const float room = stages.is_way ? std::min(all, width - gap - link_width(frame.ui, others)) : width;
  const ImVec2 start = ImGui::GetCursorPos();
  int selected = stages.selected;
  if (tabs(frame.ui, "stage tabs", stages.tabs, selected, room))
    frame.emit(select_stage(stages.kinds[static_cast<std::size_t>(selected)]));
  if (stages.is_way) more_stages(frame, others, stages.kinds, {start.x + room + gap, start.y});
}

void stage_picker(Frame& frame) {
  if (!frame.trace) return;
  place_picker(frame);
  stage_tabs(frame, ImGui::GetContentRegionAvail().x);
}

namespace {

/// The switch between stages and parameters, at the right end of a line 28 units high. The cursor stays where
/// it is.
void stages_or_weights(Frame& frame) {
  const ImVec2 start = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::SetCursorPosX(start.x + width - frame.ui.px(switch_width));
  begin_child("stages or weights", {frame.ui.px(switch_width), frame.ui.px(28.0F)},
              ImGuiWindowFlags_NoScrollbar);
  static const std::array<std::string, 2> groups{"Attention", "Parameters"};
  int group = info(frame.session.selection.stage).is_parameter() ? 1 : 0;
  if (segmented(
          frame.ui, "stages or weights", groups, group,
          "Attention: what is computed from the sentence. Parameters: the matrices and biases that are used for it.")) {
    frame.emit(select_stage(group == 1 ? StageKind::w_query : StageKind::weights));
  }
  end_child();
  ImGui::SetCursorPos(start);
}

/// A link to the heads of all layers, shown if there are many. It stands beside the rail of one layer's
/// heads, at the right end of the line of places. The cursor stays where it is.
void all_heads_link(Frame& frame, float right, float top) {
  constexpr int many = 48;
  const Architecture& a = frame.session.architecture;
  const int n = a.n_layers * a.n_heads;
  if (n < many || frame.session.view != PageName::explore) return;
  const ImVec2 cursor = ImGui::GetCursorPos();
  const std::string label = "All " + grouped(n) + " heads";
  const float width = frame.ui.px(frame.ui.measure()(label, Font::sans, text_size::control).width);
  ImGui::SetCursorPos({right - width, top + frame.ui.px(6.0F)});
  command_link(frame, label.c_str(), "Small maps of the heads of all layers", PageName::heads);
  ImGui::SetCursorPos(cursor);
}

}  // namespace

void stage_bar(Frame& frame) {
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const ImVec2 start = ImGui::GetCursorPos();
  constexpr float min_tabs_width = 220.0F;
  const float at_right = has_switch(frame) ? frame.ui.px(switch_width + before_switch) : 0.0F;
  const float all = right - start.x;
  const bool fits = place_picker_width(frame) + way_width(frame) <= all;
  const bool fits_as_list = all - place_picker_width(frame, true) - at_right >= frame.ui.px(min_tabs_width);
  const bool as_list = !fits && fits_as_list;
  const float before_tabs = place_picker_width(frame, as_list);
  const float beside = all - before_tabs - at_right;
  // On a narrow page, the places stand above the stages.
  const bool one_row = before_tabs > 0.0F && beside >= frame.ui.px(min_tabs_width);
  place_picker(frame, as_list);
  if (one_row) {
    ImGui::SetCursorPos({start.x + before_tabs, start.y});
  } else {
    all_heads_link(frame, right, start.y);
  }
  const ImVec2 tabs_at = ImGui::GetCursorPos();
  stage_tabs(frame, right - tabs_at.x - at_right);
  const ImVec2 below{start.x, ImGui::GetCursorPosY()};
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  ImGui::SetCursorPos({tabs_at.x, tabs_at.y + 0.5F * (below.y - spacing - tabs_at.y - frame.ui.px(28.0F))});
  if (has_switch(frame)) stages_or_weights(frame);
  ImGui::SetCursorPos(below);
}

}  // namespace headscope
