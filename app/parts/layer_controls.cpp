#include "app/parts/layer_controls.h"

#include <algorithm>
#include <array>

#include "app/parts/position_controls.h"
#include "app/parts/relative_controls.h"
#include "app/parts/rotary_controls.h"
#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/engine/request.h"
#include "core/enum_count.h"
#include "core/session/settings.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

using Limits = ArchitectureLimits;

/// A list of an enumeration's values; emits the architecture with another one.
template <class Enum, std::size_t n>
void choice(Frame& frame, const char* label, const std::array<std::string, n>& names,
            Enum Architecture::*field, const char* tooltip) {
  Architecture a = frame.session.architecture;
  int index = static_cast<int>(a.*field);
  if (!combo(frame.ui, label, names, index, tooltip)) return;
  a.*field = static_cast<Enum>(index);
  frame.emit(SetArchitecture{a});
}

void stacks(Frame& frame) {
  static const auto names = one_for_each<Stacks, std::string>("encoder", "decoder", "both", "cross");
  Architecture a = frame.session.architecture;
  int index = static_cast<int>(a.stacks);
  if (segmented(frame.ui, "stacks", names, index, setting("architecture.stacks").sentence)) {
    a.stacks = static_cast<Stacks>(index);
    frame.emit(SetArchitecture{a});
  }
  if (slider_int(frame.ui, "layers", a.n_layers, {Limits::min_layers, std::max(12, a.n_layers), 1, false},
                 setting("architecture.layers").sentence)) {
    frame.emit(SetArchitecture{a});
  }
}

/// What a parallel block cannot have goes with the choice of one.
void block(Frame& frame) {
  static const auto names =
      one_for_each<Block, std::string>("after attention", "beside, own norm", "beside, one norm");
  Architecture a = frame.session.architecture;
  int index = static_cast<int>(a.block);
  if (!combo(frame.ui, "runs", names, index, setting("architecture.block").sentence)) return;
  a.block = static_cast<Block>(index);
  if (a.is_parallel()) {
    a.residual = true;
    if (!a.norms_allow_parallel()) a.norm = Norm::pre;
  }
  frame.emit(SetArchitecture{a});
}

void feed_forward(Frame& frame) {
  Architecture a = frame.session.architecture;
  bool on = a.d_ff > 0;
  constexpr int usual_factor = 4;
  if (toggle(frame.ui, "Feed-forward layer", on, setting("architecture.d_ff").sentence)) {
    a.d_ff = on ? std::min(usual_factor * a.d_model, Limits::max_d_ff) : 0;
    frame.emit(SetArchitecture{a});
  }
  if (frame.session.architecture.d_ff == 0) return;
  if (slider_int(frame.ui, "d_ff", a.d_ff, {1, Limits::max_d_ff, 1, true},
                 setting("architecture.d_ff").sentence)) {
    frame.emit(SetArchitecture{a});
  }
  static const auto activations =
      one_for_each<Activation, std::string>("ReLU", "GELU", "GELU by tanh", "SiLU");
  choice(frame, "activation", activations, &Architecture::activation,
         setting("architecture.activation").sentence);
  a = frame.session.architecture;
  if (toggle(frame.ui, "Gated", a.gated, setting("architecture.gated").sentence))
    frame.emit(SetArchitecture{a});
  if (toggle(frame.ui, "Biases", a.bias.feed_forward, setting("architecture.bias.feed_forward").sentence))
    frame.emit(SetArchitecture{a});
  block(frame);
}

void sliding_layers(Frame& frame) {
  Architecture a = frame.session.architecture;
  bool on = a.sliding_window.has_value();
  constexpr int first_window = 4;
  if (toggle(frame.ui, "Sliding window in layers", on, setting("architecture.sliding_window").sentence)) {
    a.sliding_window = on ? std::optional<int>(first_window) : std::nullopt;
    frame.emit(SetArchitecture{a});
  }
  a = frame.session.architecture;
  if (!a.sliding_window) return;
  const int n = frame.trace ? frame.trace->n_tokens() : first_window;
  if (slider_int(frame.ui, "tokens seen", *a.sliding_window,
                 {Limits::min_sliding_window, std::max(n, *a.sliding_window), 1, false},
                 setting("architecture.sliding_window").sentence)) {
    frame.emit(SetArchitecture{a});
  }
  // 0 stands for none: no layer is without the window.
  a = frame.session.architecture;
  int every = a.global_every.value_or(0);
  if (slider_int(frame.ui, "global every (0: none)", every, {0, std::max({6, a.n_layers, every}), 1, false},
                 setting("architecture.global_every").sentence)) {
    a.global_every = every == 0 ? std::nullopt : std::optional(every);
    frame.emit(SetArchitecture{a});
  }
}

void around_sublayers(Frame& frame) {
  Architecture a = frame.session.architecture;
  if (toggle(frame.ui, "Residual connections", a.residual, setting("architecture.residual").sentence)) {
    if (!a.residual) a.block = Block::sequential;
    frame.emit(SetArchitecture{a});
  }
  static const auto names = one_for_each<Norm, std::string>("none", "before", "after", "both");
  text(frame.ui, "norm", Font::sans, text_size::body, frame.ui.theme().text);
  int norm = static_cast<int>(a.norm);
  if (segmented(frame.ui, "norm", names, norm, setting("architecture.norm").sentence)) {
    a.norm = static_cast<Norm>(norm);
    if (!a.norms_allow_parallel()) a.block = Block::sequential;
    frame.emit(SetArchitecture{a});
  }
  if (frame.session.architecture.norm == Norm::none) return;
  static const auto kinds = one_for_each<NormKind, std::string>("layer norm", "RMS norm");
  int kind = static_cast<int>(a.norm_kind);
  if (segmented(frame.ui, "kind of norm", kinds, kind, setting("architecture.norm_kind").sentence)) {
    a.norm_kind = static_cast<NormKind>(kind);
    frame.emit(SetArchitecture{a});
  }
  if (decimal_field(frame.ui, "ε", a.norm_epsilon, setting("architecture.norm_epsilon").sentence)) {
    a.norm_epsilon = std::clamp(a.norm_epsilon, Limits::min_norm_epsilon, Limits::max_norm_epsilon);
    frame.emit(SetArchitecture{a});
  }
}

/// How large the model is, before anybody waits for it.
void size_line(Frame& frame) {
  const Architecture& a = frame.session.architecture;
  if (!validate(a)) return;
  constexpr double million = 1e6;
  constexpr double bytes_in_megabyte = 1e6;
  const double parameters = count_parameters(a);
  const std::string count = parameters < million ? grouped(static_cast<long long>(parameters))
                                                 : number_text(parameters / million, 3) + " million";
  paragraph(frame.ui,
            count + " parameters besides the word tables, taking " +
                number_text(model_bytes(a) / bytes_in_megabyte, 3) + " MB",
            frame.ui.theme().quiet);
}

}  // namespace

namespace {

void output_bias(Frame& frame) {
  Architecture a = frame.session.architecture;
  if (a.output_layer == OutputLayer::none) return;
  if (toggle(frame.ui, "Output bias", a.output_bias, setting("architecture.output_bias").sentence))
    frame.emit(SetArchitecture{a});
}

/// Which words they are, where they are not those of the sentences.
void output_words(Frame& frame) {
  const Session& session = frame.session;
  const bool listed = session.architecture.output_layer != OutputLayer::none && !session.model &&
                      session.tokenizer == TokenizerKind::word && !session.output_words.empty();
  if (!listed) return;
  paragraph(frame.ui, "Output words: " + session.output_words, frame.ui.theme().quiet);
  if (link(frame.ui, "use the sentences' words##output words", "Predict the words of the sentences instead"))
    frame.emit(SetOutputWords{""});
}

}  // namespace

void layer_controls(Frame& frame) {
  section(frame.ui, "Layers");
  stacks(frame);
  around_sublayers(frame);
  feed_forward(frame);
  sliding_layers(frame);
  size_line(frame);
  static const auto outputs = one_for_each<OutputLayer, std::string>("none", "linear", "tied");
  choice(frame, "output layer", outputs, &Architecture::output_layer,
         setting("architecture.output_layer").sentence);
  output_bias(frame);
  output_words(frame);
  choice(frame, "positions", position_names(), &Architecture::positions,
         setting("architecture.positions").sentence);
  rotary_controls(frame);
  relative_controls(frame);
}

}  // namespace headscope
