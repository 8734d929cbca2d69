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
#include "core/page/parts/answers.h"
#include "core/page/train/train_page.h"
#include "core/page/words/words_page.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

void offer_words(Frame& frame) {
  if (!button(frame.ui, "Add a final linear layer", "It shares the embeddings' weights (tied)", "",
              ButtonLook::primary)) {
    return;
  }
  Architecture a = frame.session.architecture;
  a.output_layer = OutputLayer::tied;
  frame.emit(SetArchitecture{a});
}

/// The controls for how the next word is drawn, in as many columns as there is room for.
void sampling_sliders(Frame& frame) {
  Sampling sampling = frame.session.sampling;
  const float gap = frame.ui.px(16.0F);
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = room > frame.ui.px(560.0F) ? 4 : room > frame.ui.px(280.0F) ? 2 : 1;
  const float width = std::min(frame.ui.px(220.0F),
                               (room - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  int n = 0;
  bool changed = false;
  const auto column = [&](const char* id, const auto& control) {
    if (n++ % columns > 0) ImGui::SameLine(0.0F, gap);
    const LinePart part(id, {width, frame.ui.px(42.0F)});
    changed = control() || changed;
  };
  column("temperature", [&] {
    return slider_float(frame.ui, "temperature", sampling.temperature,
                        {min_sampling_temperature, max_sampling_temperature, 2, true},
                        setting("sampling.temperature").sentence);
  });
  column("top-k", [&] {
    const int n_words = static_cast<int>(frame.trace->vocabulary().size());
    return slider_int(frame.ui, "top-k (0: all)", sampling.top_k,
                      {0, std::max(n_words, sampling.top_k), 1, false}, setting("sampling.top_k").sentence);
  });
  column("top-p", [&] {
    return slider_float(frame.ui, "top-p", sampling.top_p, {0.0F, 1.0F, 2, false},
                        setting("sampling.top_p").sentence);
  });
  column("seed", [&] {
    return number_field(frame.ui, "seed", sampling.seed, UINT32_MAX, setting("sampling.seed").sentence);
  });
  if (changed) frame.emit(SetSampling{sampling});
}

/// The choice between greedy and sampled. The next item stands beside it.
void way_of_sampling(Frame& frame) {
  Sampling sampling = frame.session.sampling;
  static const std::array<std::string, 2> ways{"greedy", "sample"};
  int way = sampling.greedy ? 0 : 1;
  {
    const LinePart part("way", {frame.ui.px(160.0F), frame.ui.px(28.0F)});
    if (segmented(frame.ui, "way", ways, way, setting("sampling.greedy").sentence)) {
      sampling.greedy = way == 0;
      frame.emit(SetSampling{sampling});
    }
  }
  ImGui::SameLine(0.0F, frame.ui.px(12.0F));
}

/// Appends a word to the sentence that grows: the target, or the only sentence.
void append_word(Frame& frame, const NextWord& next) {
  const Session& session = frame.session;
  const bool is_target = session.architecture.has_cross();
  const ModelTokenizers own = model_tokenizers(session.tokenizer, session.model);
  const Tokenizer* reader = is_target ? own.of_target.get() : own.of_source.get();
  if (reader == nullptr) reader = &tokenizer(session.tokenizer);
  Token token;
  token.text = next.word;
  token.id = next.id;
  if (is_target) {
    frame.emit(SetTarget{reader->with_next(session.target, token)});
    frame.emit(SelectToken{static_cast<int>(frame.trace->tokens(Stack::decoder).size())});
  } else {
    frame.emit(SetSentence{reader->with_next(session.sentence, token)});
    frame.emit(SelectToken{frame.trace->n_tokens()});
  }
}

/// Puts the model's mask in place of the selected token, which it then fills in.
void mask_token(Frame& frame) {
  const Session& session = frame.session;
  const std::vector<Token>& tokens = frame.trace->tokens();
  const auto selected = static_cast<std::size_t>(session.selection.token.value_or(0));
  const bool can_mask = session.model && !session.model->mask_text.empty() && session.selection.token &&
                        session.tokenizer == TokenizerKind::model && selected < tokens.size();
  if (!can_mask) return;
  const Token& token = tokens[selected];
  const TextSpan span = token.span;
  if (token.is_special || span.begin == span.end || span.end > session.sentence.size()) return;
  const std::string& mask = session.model->mask_text;
  const std::string label = "Mask “" + shown_word(token.text) + "”";
  if (!button(frame.ui, label.c_str(), ("Put " + mask + " in its place, for the model to fill in").c_str()))
    return;
  std::string masked = session.sentence;
  masked.replace(span.begin, span.end - span.begin, mask);
  frame.emit(SetSentence{std::move(masked)});
  frame.emit(SelectToken{static_cast<int>(selected)});
}

/// The buttons that continue the text.
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
  // The outputs of some models are classes, which are no tokens of theirs.
  if (frame.trace_model && !frame.trace_model->class_names.empty()) return;
  if (button(frame.ui, ("Append “" + next.word + "”").c_str(), "Add it to the end and predict the next one",
             "", ButtonLook::primary)) {
    append_word(frame, next);
  }
}

/// The controls for choosing the next word, and the buttons that continue with it.
void next_word_controls(Frame& frame) {
  way_of_sampling(frame);
  continuation(frame, next_word(page_inputs(frame)));
  if (!frame.session.sampling.greedy) sampling_sliders(frame);
}

}  // namespace

void words_view(Frame& frame) {
  const Panel panel(frame.ui, "words", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const bool has_words = has_predictions(page_inputs(frame));
  if (has_words && fills_in(*frame.trace)) mask_token(frame);
  if (has_words && !fills_in(*frame.trace)) next_word_controls(frame);
  const PageAnswer mouse = page_part(frame, PageName::words, ImGui::GetContentRegionAvail());
  const PageInputs& in = page_inputs(frame);
  if (!has_words && !predicts_words(in)) offer_words(frame);
  if (const auto* cells = mouse.on<StageCells>(); cells != nullptr && mouse.clicked) {
    frame.emit(SelectStage{cells->stage.kind});
  }
  const auto cell = mouse.table_cell();
  if (cell) tooltip(frame.ui, said_of_target(in, shown_targets(in), *cell));
}

}  // namespace headscope
