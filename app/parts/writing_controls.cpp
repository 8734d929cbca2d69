#include "app/parts/writing_controls.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "app/parts/page_part.h"
#include "app/parts/step_player.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/checkpoint/model_folder.h"
#include "core/model/sampling.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

/// The choice between greedy and sampled. The next item stands beside it.
void sampling_choice(Frame& frame) {
  static const std::array<std::string, 2> ways{"greedy", "sample"};
  int way = frame.session.sampling.greedy ? 0 : 1;
  {
    const InlineChild part("way", {frame.ui.px(160.0F), frame.ui.px(28.0F)});
    if (segmented(frame.ui, "way", ways, way, setting("sampling.greedy").sentence)) {
      frame.emit(set_to("sampling.greedy", way == 0));
    }
  }
  ImGui::SameLine(0.0F, frame.ui.px(12.0F));
}

/// Appends a word to the sentence that grows: the target, or the only sentence.
void append_word(Frame& frame, const NextWord& next) {
  const Session& session = frame.session;
  // The word continues a text that has changed since.
  if (frame.sentence != session.sentence || frame.target != session.target) return;
  const bool is_target = session.architecture.has_cross();
  const ModelTokenizers own = model_tokenizers(session.tokenizer, session.model);
  const Tokenizer* reader = is_target ? own.target_tokenizer.get() : own.source_tokenizer.get();
  if (reader == nullptr) reader = &tokenizer(session.tokenizer);
  Token token;
  token.text = next.word;
  token.id = next.id;
  if (is_target) {
    frame.emit(SetTarget{reader->with_appended_tokens(session.target, {&token, 1})});
    frame.emit(SelectToken{static_cast<int>(frame.trace->tokens(Stack::decoder).size())});
  } else {
    frame.emit(SetSentence{reader->with_appended_tokens(session.sentence, {&token, 1})});
    frame.emit(SelectToken{frame.trace->n_tokens()});
  }
}

/// The buttons that continue the text. Returns whether a word was appended.
bool continuation(Frame& frame, const NextWord& next) {
  if (frame.session.architecture.has_cross() && frame.trace_model) {
    const Vocabulary& words = frame.trace_model->vocabulary;
    if (words.begin() >= 0 &&
        button(frame.ui, "Start over", "Let the decoder write word by word from “[begin]”")) {
      frame.emit(SetTarget{words.word(words.begin())});
      frame.emit(SelectToken{0});
    }
    if (next.has_ended) {
      paragraph(frame.ui, "The decoder has written “[end]”: its sentence is complete.",
                frame.ui.theme().quiet);
      return false;
    }
    if (words.begin() >= 0) ImGui::SameLine(0.0F, frame.ui.px(6.0F));
  }
  // Some models predict classes, which are not tokens that could be appended.
  if (frame.trace_model && !frame.trace_model->class_names.empty()) return false;
  const std::string label = "Append " + quoted_word(next.word);
  if (!button(frame.ui, label.c_str(), "Add it to the end and predict the next one", "",
              ButtonStyle::primary))
    return false;
  append_word(frame, next);
  return true;
}

}  // namespace

bool writes_words(Frame& frame) {
  return has_predictions(page_inputs(frame)) && !predicts_masked_words(*frame.trace);
}

bool writing_controls(Frame& frame) {
  sampling_choice(frame);
  return continuation(frame, next_word(page_inputs(frame)));
}

void sampling_controls(Frame& frame, float room) {
  Sampling sampling = frame.session.sampling;
  if (sampling.greedy) return;
  // By the lengths of the labels.
  constexpr std::array shares{0.30F, 0.24F, 0.20F, 0.26F};
  const float gap = frame.ui.px(12.0F);
  const std::size_t n_columns = room < frame.ui.px(min_sampling_width) ? 2 : shares.size();
  const float for_columns = room - gap * static_cast<float>(n_columns - 1);
  std::size_t n = 0;
  const auto column = [&](const char* id, const auto& control) {
    if (n % n_columns > 0) ImGui::SameLine(0.0F, gap);
    const float share = n_columns == shares.size() ? shares.at(n) : 0.5F;
    const InlineChild part(id, {share * for_columns, frame.ui.px(slider_line_height)});
    ++n;
    control();
  };
  column("temperature", [&] {
    if (slider_float(frame.ui, "sampling temperature", sampling.temperature,
                     {min_sampling_temperature, max_sampling_temperature, 2, true},
                     setting("sampling.temperature").sentence))
      frame.emit(set_to("sampling.temperature", static_cast<double>(sampling.temperature)));
  });
  column("top-k", [&] {
    const int n_words = static_cast<int>(frame.trace->vocabulary().size());
    if (slider_int(frame.ui, "top-k (0: all)", sampling.top_k,
                   {0, std::max(n_words, sampling.top_k), 1, false}, setting("sampling.top_k").sentence))
      frame.emit(set_to("sampling.top_k", sampling.top_k));
  });
  column("top-p", [&] {
    if (slider_float(frame.ui, "top-p", sampling.top_p, {0.0F, 1.0F, 2, false},
                     setting("sampling.top_p").sentence))
      frame.emit(set_to("sampling.top_p", static_cast<double>(sampling.top_p)));
  });
  column("seed", [&] {
    if (number_field(frame.ui, "seed", sampling.seed, UINT32_MAX, setting("sampling.seed").sentence))
      frame.emit(set_to("sampling.seed", static_cast<double>(sampling.seed)));
  });
}

void open_writer_button(Frame& frame) {
  if (button(frame.ui, "Open a model that writes",
             "Opens Stories, which continues any text in simple English; undo brings this model back", "",
             ButtonStyle::primary))
    frame.send(OpenBundled{std::string(default_writing_model)});
}

}  // namespace headscope
