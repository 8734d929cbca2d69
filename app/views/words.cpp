#include "app/views/words.h"

#include <algorithm>
#include <array>

#include "app/parts/page_part.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/engine/opening.h"
#include "core/model/sampling.h"
#include "core/page/answers.h"
#include "core/page/targets_page.h"
#include "core/page/words_page.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr float list_width = 320.0F;
constexpr float least_maps = 240.0F;  ///< width of the maps' room, in design units
constexpr float least_map_height = 150.0F;

void no_words(Frame& frame) {
  const Theme& theme = frame.ui.theme();
  text(frame.ui, "This model predicts no words", Font::sans_bold, text_size::title, theme.text);
  paragraph(frame.ui,
            "A final linear layer turns the last stack's output into a score for every word of the "
            "sentences; softmax turns the scores into probabilities.",
            theme.quiet, text_size::body);
  if (button(frame.ui, "Add a final linear layer", "It shares the embeddings' weights (tied)", "",
             ButtonLook::primary)) {
    Architecture a = frame.session.architecture;
    a.output_layer = OutputLayer::tied;
    frame.emit(SetArchitecture{a});
  }
}

void sampling_controls(Frame& frame) {
  Sampling sampling = frame.session.sampling;
  static const std::array<std::string, 2> ways{"greedy", "sample"};
  int way = sampling.greedy ? 0 : 1;
  if (segmented(frame.ui, "way", ways, way, setting("sampling.greedy").sentence)) {
    sampling.greedy = way == 0;
    frame.emit(SetSampling{sampling});
  }
  if (frame.session.sampling.greedy) return;
  if (slider_float(frame.ui, "temperature", sampling.temperature,
                   {min_sampling_temperature, max_sampling_temperature, 2, true},
                   setting("sampling.temperature").sentence)) {
    frame.emit(SetSampling{sampling});
  }
  const int n = static_cast<int>(frame.trace->vocabulary().size());
  if (slider_int(frame.ui, "top-k (0: all)", sampling.top_k, {0, std::max(n, sampling.top_k), 1, false},
                 setting("sampling.top_k").sentence)) {
    frame.emit(SetSampling{sampling});
  }
  if (slider_float(frame.ui, "top-p", sampling.top_p, {0.0F, 1.0F, 2, false},
                   setting("sampling.top_p").sentence)) {
    frame.emit(SetSampling{sampling});
  }
  if (number_field(frame.ui, "seed", sampling.seed, UINT32_MAX, setting("sampling.seed").sentence)) {
    frame.emit(SetSampling{sampling});
  }
}

/// The sentence that grows: the target, or the only one.
void append_word(Frame& frame, const std::string& word) {
  const Session& session = frame.session;
  if (session.architecture.has_cross()) {
    frame.emit(SetTarget{session.target + " " + word});
    frame.emit(SelectToken{static_cast<int>(frame.trace->tokens(Stack::decoder).size())});
  } else {
    frame.emit(SetSentence{session.sentence + " " + word});
    frame.emit(SelectToken{frame.trace->n_tokens()});
  }
}

/// Buttons that go on with the text.
void continuation(Frame& frame, const NextWord& next) {
  if (frame.session.architecture.has_cross() && frame.trace_model) {
    const Vocabulary& words = frame.trace_model->vocabulary;
    if (words.begin() >= 0 &&
        button(frame.ui, "Start over", "Let the decoder write word by word from “[begin]”")) {
      frame.emit(SetTarget{words.word(words.begin())});
      frame.emit(SelectToken{0});
    }
    if (next.has_ended) {
      return paragraph(frame.ui, "The decoder has written “[end]”: its sentence is complete.",
                       frame.ui.theme().quiet);
    }
    if (words.begin() >= 0) ImGui::SameLine(0.0F, frame.ui.px(6.0F));
  }
  if (button(frame.ui, ("Append “" + next.word + "”").c_str(), "Add it to the end and predict the next one",
             "", ButtonLook::primary)) {
    append_word(frame, next.word);
  }
}

void next_word_part(Frame& frame) {
  text(frame.ui, "Next word", Font::sans_bold, text_size::title, frame.ui.theme().text);
  sampling_controls(frame);
  page_part(frame, "next word", next_word_page, ImGui::GetContentRegionAvail());
  continuation(frame, next_word(page_inputs(frame)));
}

void maps(Frame& frame, ImVec2 room) {
  const PageAnswer mouse = page_part(frame, "words maps", word_maps_page, room);
  if (const auto* cells = mouse.on<StageCells>(); cells != nullptr && mouse.clicked) {
    frame.emit(SelectStage{cells->stage.kind});
  }
  const auto cell = mouse.table_cell();
  if (!cell) return;
  const PageInputs& in = page_inputs(frame);
  tooltip(frame.ui, said_of_target(in, shown_targets(in), *cell));
}

void list(Frame& frame) {
  if (!fills_in(*frame.trace)) next_word_part(frame);
  page_part(frame, "word list", word_list_page, ImGui::GetContentRegionAvail());
}

/// For a room too narrow for the maps beside the list.
void below_each_other(Frame& frame, ImVec2 room) {
  const Panel panel(frame.ui, "words", room, PanelScroll::vertical);
  list(frame);
  divider(frame.ui);
  maps(frame, {ImGui::GetContentRegionAvail().x, frame.ui.px(2.0F * least_map_height)});
}

}  // namespace

void words_view(Frame& frame) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (!frame.trace->has({.kind = StageKind::probabilities})) {
    const Panel panel(frame.ui, "no words", room);
    if (frame.trace->architecture().output_layer == OutputLayer::none) return no_words(frame);
    text(frame.ui, "Computing…", Font::sans, text_size::title, frame.ui.theme().quiet);
    return;
  }
  const float side = std::min(frame.ui.px(list_width), room.x * 0.45F);
  const float gap = frame.ui.px(panel_gap);
  if (room.x - side - gap < frame.ui.px(least_maps)) return below_each_other(frame, room);
  {
    const Panel panel(frame.ui, "ranked", {side, room.y}, PanelScroll::vertical);
    list(frame);
  }
  ImGui::SameLine(0.0F, gap);
  const Panel panel(frame.ui, "words maps", {room.x - side - gap, room.y}, PanelScroll::vertical);
  maps(frame, ImGui::GetContentRegionAvail());
}

}  // namespace headscope
