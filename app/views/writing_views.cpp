#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "app/parts/frame.h"
#include "app/parts/page_part.h"
#include "app/parts/setting_control.h"
#include "app/parts/stage_picker.h"
#include "app/parts/step_player.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/checkpoint/model_folder.h"
#include "core/model/sampling.h"
#include "core/page/decoding/decoding_page.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

/// The narrowest room for one line of them, in units.
constexpr float min_sampling_width = 600.0F;

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
      paragraph(frame.ui, "The decoder has written “[end]”: its sentence is complete.");
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

/// Whether the model predicts the next word.
bool writes_words(Frame& frame) {
  return has_predictions(page_inputs(frame)) && !predicts_masked_words(*frame.trace);
}

/// The controls for choosing the next word, and the buttons that continue the text with it, if the model
/// writes_words(). Returns whether a word was appended in this frame.
bool writing_controls(Frame& frame) {
  sampling_choice(frame);
  return continuation(frame, next_word(page_inputs(frame)));
}

/// The controls for how words are sampled, `room` ImGui pixels wide: in one line as high as a slider or, if
/// that is too narrow, in two. Draws nothing if words are not sampled.
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

/// A button that opens a model that writes, where the present one does not.
void open_writer_button(Frame& frame) {
  if (button(frame.ui, "Open a model that writes",
             "Opens Stories, which continues any text in simple English; undo brings this model back", "",
             ButtonStyle::primary))
    frame.send(OpenBundled{std::string(default_writing_model)});
}

constexpr float decoding_gap = 16.0F;
/// The width of the column with the buttons, and with the choice of number format below them.
constexpr float last_column = 150.0F;

void token_controls(Frame& frame, int n_tokens) {
  const Ui& ui = frame.ui;
  const int shown = std::clamp(frame.session.decoding.step, 1, n_tokens);
  const float gap = ui.px(decoding_gap);
  const float room = std::max(ImGui::GetContentRegionAvail().x - ui.px(last_column) - gap, ui.px(120.0F));
  // Where there is room, the controls for sampling share the line, so that choosing them moves nothing below.
  constexpr float min_slider_width = 160.0F;
  const bool samples = !frame.session.sampling.greedy && writes_words(frame);
  const bool shares = samples && room >= ui.px(min_slider_width + min_sampling_width) + gap;
  const float width = shares ? std::max(ui.px(min_slider_width), 0.2F * room) : room;
  slider_in_line(frame, "decoding.step", "tokens read", shown, n_tokens, width);
  ImGui::SameLine(0.0F, gap);
  if (shares) {
    sampling_controls(frame, room - width - gap);
    ImGui::SameLine(0.0F, gap);
  }
  const Steps steps{shown, n_tokens, "Decodes one token after another"};
  if (const auto next = step_player(frame, frame.screen.own.of<StepPlay>("decoding"), steps))
    frame.emit(set_to("decoding.step", *next));
  if (samples && !shares) sampling_controls(frame, ImGui::GetContentRegionAvail().x);
}

/// Writes the next word and moves to its step, or offers a model that writes.
void write_word(Frame& frame, int n_tokens) {
  if (!writes_words(frame)) return open_writer_button(frame);
  if (writing_controls(frame)) frame.emit(set_to("decoding.step", n_tokens + 1));
}

/// A button that switches on the causal mask of the decoding attention. Draws nothing unless that is what is
/// missing.
void causal_button(Frame& frame) {
  const Architecture& a = frame.session.architecture;
  if (!decoding_obstacle_of(page_inputs(frame), frame.screen.memo).looks_ahead) return;
  const bool is_of_target = a.stacks == Stacks::encoder_decoder;
  const AttentionOptions& options = frame.session.attention;
  if ((is_of_target ? options.target_mask : options.mask).causal) return;
  ImGui::SameLine(0.0F, frame.ui.px(6.0F));
  if (!button(frame.ui, "Switch the causal mask on",
              "Lets every token see only itself and the tokens before it"))
    return;
  change_setting(frame, is_of_target ? setting("attention.target_mask.causal") : setting("attention.causal"),
                 true);
}

void numbers_choice(Frame& frame) {
  static const std::array<std::string, 2> kinds{"float32", "16 bit"};
  int chosen = static_cast<int>(frame.session.decoding.numbers);
  if (!segmented(frame.ui, "cache numbers", kinds, chosen, setting("decoding.numbers").sentence)) return;
  frame.emit(set_to("decoding.numbers", static_cast<CacheNumbers>(chosen)));
}

/// The controls for what the meter compares the cache with.
void comparison_controls(Frame& frame) {
  const Ui& ui = frame.ui;
  const Architecture& a = frame.trace->architecture();
  const DecodingOptions& set = frame.session.decoding;
  const float gap = ui.px(decoding_gap);
  const float width =
      std::max((ImGui::GetContentRegionAvail().x - ui.px(last_column) - 3.0F * gap) / 3.0F, ui.px(60.0F));
  const int groups = compared_groups(a, set);
  slider_in_line(frame, "decoding.kv_heads", "GQA heads", groups, a.n_heads, width,
                 [&](int requested) { return nearest_kv_heads(a.n_heads, groups, requested); });
  ImGui::SameLine(0.0F, gap);
  const auto latent = static_cast<int>(compared_latent(a, set).key_width);
  slider_in_line(frame, "decoding.latent", "MLA width", latent,
                 std::max(latent, 2 * a.concat_width(no_layer)), width);
  ImGui::SameLine(0.0F, gap);
  constexpr int default_max = 16384;
  slider_in_line(frame, "decoding.window", "window", set.window, std::max(default_max, set.window), width);
  ImGui::SameLine(0.0F, gap);
  const InlineChild part("cache numbers", {ui.px(last_column), ui.px(44.0F)});
  numbers_choice(frame);
}

/// The controls for the token that was decoded last, for playing the other steps, and for what the cache is
/// compared with. If nothing can be decoded because a causal mask is missing, offers that mask. Needs a pass.
void decoding_controls(Frame& frame) {
  const int n_tokens = n_decodable_tokens(page_inputs(frame), frame.screen.memo);
  if (n_tokens == 0) {
    open_writer_button(frame);
    return causal_button(frame);
  }
  write_word(frame, n_tokens);
  // Whether the controls of what is compared are shown.
  bool& compares = frame.screen.own.of<bool>("compares caches");
  const char* label = compares ? "Hide the sizes to compare" : "Choose the sizes to compare";
  continue_line(frame.ui.px(decoding_gap), link_width(frame.ui, label));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + frame.ui.px(7.0F));
  if (link(frame.ui, label,
           "The sizes of the caches with which the model's own is compared at the end of the page"))
    compares = !compares;
  token_controls(frame, n_tokens);
  if (compares) comparison_controls(frame);
}

/// Offers a final linear layer or, for a foreign model, whose weights it would replace, another model.
void offer_words(Frame& frame) {
  if (frame.session.model && frame.session.model->is_foreign()) return open_writer_button(frame);
  if (!button(frame.ui, "Add a final linear layer", "It shares the embeddings' weights (tied)", "",
              ButtonStyle::primary))
    return;
  frame.emit(set_to("architecture.output_layer", OutputLayer::tied));
}

/// Puts the model's mask in place of the selected token, which it then fills in.
void mask_token(Frame& frame) {
  const Session& session = frame.session;
  const std::vector<Token>& tokens = frame.trace->tokens();
  const auto selected = static_cast<std::size_t>(session.selection.token.value_or(0));
  const bool can_mask = frame.sentence == session.sentence && session.model &&
                        !session.model->mask_text.empty() && session.selection.token &&
                        session.tokenizer == TokenizerKind::model && selected < tokens.size();
  if (!can_mask) return;
  const Token& token = tokens[selected];
  const TextSpan span = token.span;
  if (token.is_special || span.begin == span.end || span.end > session.sentence.size()) return;
  const std::string& mask = session.model->mask_text;
  const std::string label = "Mask " + quoted_word(token.text);
  if (!button(frame.ui, label.c_str(), ("Put " + mask + " in its place, for the model to fill in").c_str()))
    return;
  std::string masked = session.sentence;
  masked.replace(span.begin, span.end - span.begin, mask);
  frame.emit(SetSentence{std::move(masked)});
  frame.emit(SelectToken{static_cast<int>(selected)});
}

/// The controls for writing. If they fit, the sampling controls appear at the end of the same line, so that
/// nothing below moves.
void writing_line(Frame& frame) {
  const ImVec2 start = ImGui::GetCursorPos();
  writing_controls(frame);
  const float gap = frame.ui.px(16.0F);
  ImGui::SameLine(0.0F, gap);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool shares = room >= frame.ui.px(min_sampling_width);
  if (!shares) ImGui::NewLine();
  sampling_controls(frame, shares ? room : ImGui::GetContentRegionAvail().x);
  const float bottom = start.y + frame.ui.px(slider_line_height) + ImGui::GetStyle().ItemSpacing.y;
  if (shares) ImGui::SetCursorPos({start.x, bottom});
}

}  // namespace

void decoding_view(Frame& frame) {
  const Panel panel(frame.ui, "decoding", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (n_decodable_tokens(page_inputs(frame), frame.screen.memo) > 0) {
    constexpr float for_writing = 320.0F;
    if (head_picker(frame)) continue_line(frame.ui.px(24.0F), frame.ui.px(for_writing));
  }
  decoding_controls(frame);
  draw_page(frame, PageName::decoding);
}

void words_view(Frame& frame) {
  const Panel panel(frame.ui, "words", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const bool has_words = has_predictions(page_inputs(frame));
  if (has_words && predicts_masked_words(*frame.trace)) mask_token(frame);
  if (writes_words(frame)) writing_line(frame);
  const PageMouse mouse = draw_page(frame, PageName::words);
  const PageInputs& in = page_inputs(frame);
  if (!has_words && !predicts_words(in)) offer_words(frame);
  if (const auto* cells = mouse.on<StageCells>(); cells != nullptr && mouse.clicked) {
    frame.emit(select_stage(cells->stage.kind));
  }
  if (const auto* token = mouse.on<TokenArea>(); token != nullptr && mouse.clicked) {
    const Stack stack = frame.trace->architecture().last_stack();
    const Selection& selection = frame.session.selection;
    if (selection.stack != stack) frame.emit(select_place(stack, selection.layer, AttentionKind::self));
    frame.emit(SelectToken{token->place});
  }
  const auto cell = mouse.table_cell();
  if (cell) tooltip(frame.ui, describe_target(in, frame.screen.memo, *cell));
}

}  // namespace headscope
