#include "app/views/words.h"

#include <algorithm>
#include <array>

#include "app/parts/ranked_words.h"
#include "app/parts/stage_map.h"
#include "app/parts/training_parts.h"
#include "app/ui/figure_painter.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/engine/opening.h"
#include "core/model/sampling.h"
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

/// Of the sentence that grows; the padding of a batch comes after it.
int last_row(const Frame& frame) {
  const Trace& trace = *frame.trace;
  const int rows = trace.value({.kind = StageKind::logits}).rows;
  return std::max(rows - (trace.architecture().has_cross() ? 0 : trace.batch().n_padded), 1) - 1;
}

/// The token whose prediction is listed: the selected one, where it is of the stack that predicts.
int listed_row(const Frame& frame) {
  const Selection& selection = frame.session.selection;
  const int last = last_row(frame);
  if (selection.stack != frame.trace->architecture().last_stack()) return last;
  const auto asked = fills_in(*frame.trace) ? token_to_look_at(frame.session) : std::nullopt;
  return std::min(selection.token.value_or(asked.value_or(last)), last);
}

void next_word(Frame& frame) {
  const StageId logits{.kind = StageKind::logits};
  const MatrixView rows = frame.trace->value(logits);
  const int last = last_row(frame);
  const auto possible = candidates(rows.row(last), frame.session.sampling);
  const int word = choose(possible, frame.session.sampling, last);
  const std::string& chosen = frame.trace->vocabulary()[static_cast<std::size_t>(word)];
  text(frame.ui, "Next word", Font::sans_bold, text_size::title, frame.ui.theme().text);
  sampling_controls(frame);
  // Of a word that is drawn, what it was drawn with; of the likeliest one, the model's own.
  const double drawn_with = std::ranges::find(possible, word, &Candidate::word)->probability;
  const MatrixView own = frame.trace->value({.kind = StageKind::probabilities});
  const bool shows_own = frame.session.sampling.greedy && last < own.rows;
  const double probability = shows_own ? static_cast<double>(own(last, word)) : drawn_with;
  const std::string last_word = frame.trace->label(logits, Axis::query_tokens, last);
  const bool has_ended = frame.trace_model && frame.trace_model->vocabulary.end() >= 0 &&
                         last_word == frame.trace_model->vocabulary.word(frame.trace_model->vocabulary.end());
  row(frame.ui,
      has_ended ? "After “" + last_word + "” nothing follows"
                : "“" + chosen + "” after the last word, “" + last_word + "”",
      has_ended ? "" : number_text(probability, 3), true);
  if (!frame.session.sampling.greedy) {
    paragraph(frame.ui,
              std::to_string(possible.size()) + " of " + std::to_string(rows.cols) + " words can be sampled",
              frame.ui.theme().quiet);
  }
  if (frame.session.architecture.has_cross() && frame.trace_model) {
    const Vocabulary& words = frame.trace_model->vocabulary;
    if (words.begin() >= 0 &&
        button(frame.ui, "Start over", "Let the decoder write word by word from “[begin]”")) {
      frame.emit(SetTarget{words.word(words.begin())});
      frame.emit(SelectToken{0});
    }
    if (words.end() >= 0 && last_word == words.word(words.end())) {
      return paragraph(frame.ui, "The decoder has written “[end]”: its sentence is complete.",
                       frame.ui.theme().quiet);
    }
    if (words.begin() >= 0) ImGui::SameLine(0.0F, frame.ui.px(6.0F));
  }
  if (button(frame.ui, ("Append “" + chosen + "”").c_str(), "Add it to the end and predict the next one", "",
             ButtonLook::primary)) {
    append_word(frame, chosen);
  }
}

/// Whether the words are not those of the sentences or of a trained model.
bool lists_words(const Frame& frame) {
  return !frame.trace_model && frame.session.tokenizer == TokenizerKind::word &&
         !frame.session.output_words.empty();
}

void maps(Frame& frame, ImVec2 room) {
  const float spacing = frame.ui.px(28.0F);
  MapLook look;
  look.title = true;
  look.max_cell = 40.0F;
  look.zoomable = true;
  const ImVec2 half{room.x, std::max((room.y - spacing) / 2.0F, frame.ui.px(least_map_height))};
  const bool words_are_listed = lists_words(frame);
  for (const StageKind kind : {StageKind::logits, StageKind::probabilities}) {
    const StageId stage{.kind = kind};
    // A lesson shows its targets beside the predictions.
    if (kind == StageKind::probabilities && words_are_listed && next_words_part(frame, half)) return;
    const std::string slot = "words " + std::string(info(kind).name);
    if (stage_map(frame, slot.c_str(), stage, half, look)) frame.emit(SelectStage{kind});
    ImGui::Dummy({0.0F, frame.ui.px(4.0F)});
  }
}

void list(Frame& frame) {
  if (!fills_in(*frame.trace)) next_word(frame);
  const int listed = listed_row(frame);
  constexpr std::size_t most = 12;
  section(frame.ui, prediction_heading(frame, listed).c_str());
  ranked_words(frame, listed, most);
  answer_notes(frame, listed);
  paragraph(frame.ui,
            !frame.trace_model
                ? std::string(lists_words(frame) ? "These are the words listed in the settings."
                                                 : "These are the words of the sentences.") +
                      " Untrained: the probabilities mean nothing about language."
                : "These are the words that the model was trained on.",
            frame.ui.theme().quiet);
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
