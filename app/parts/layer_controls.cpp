#include <array>

#include "app/parts/setting_groups.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/engine/request.h"
#include "core/session/settings.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

/// States the size of the model, so that the user knows it before waiting for it.
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

/// Lists the output words if they differ from the words of the sentences.
void output_words(Frame& frame) {
  const Session& session = frame.session;
  const bool listed = session.architecture.output_layer != OutputLayer::none && !session.model &&
                      session.tokenizer == TokenizerKind::word && !session.output_words.empty();
  if (!listed) return;
  paragraph(frame.ui, "Output words: " + session.output_words, frame.ui.theme().quiet);
  if (link(frame.ui, "use the sentences' words##output words", "Predict the words of the sentences instead"))
    frame.emit(set_to("output_words", ""));
}

constexpr std::array layer_panel{
    item("architecture.stacks"),
    item("architecture.residual"),
    item("architecture.norm"),
    item("architecture.norm_kind"),
    item("architecture.norm_epsilon"),
    item("architecture.d_ff"),
    item("architecture.activation"),
    item("architecture.gated"),
    item("architecture.bias.feed_forward"),
    item("architecture.block"),
    item("architecture.sliding_window"),
    item("architecture.global_every"),
    item("architecture.output_layer"),
    item("architecture.output_bias"),
    item("architecture.logit_softcap"),
    item("output_words", output_words, "Output words"),
    PanelItem{nullptr, size_line},
};

std::string norm_words(const Architecture& a) {
  constexpr auto places =
      one_for_each<Norm, std::string_view>("no norm", "pre-norm", "post-norm", "norms before and after");
  const std::string place(places[index_of(a.norm)]);
  return a.norm == Norm::none || a.norm_kind == NormKind::layer ? place : place + " (RMS)";
}

std::string activation_words(const Architecture& a) {
  constexpr auto plain = one_for_each<Activation, std::string_view>("ReLU", "GELU", "GELU", "SiLU");
  constexpr auto gated = one_for_each<Activation, std::string_view>("ReGLU", "GEGLU", "GEGLU", "SwiGLU");
  return std::string((a.gated ? gated : plain)[index_of(a.activation)]);
}

}  // namespace

std::span<const PanelItem> block_items() {
  return layer_panel;
}

std::string block_words(const Session& session) {
  const Architecture& a = session.architecture;
  constexpr auto stacks =
      one_for_each<Stacks, std::string_view>("", "decoder", "encoder and decoder", "cross");
  WordList words;
  if (a.stacks != Stacks::encoder) words.add(stacks[index_of(a.stacks)]);
  const bool is_bare = a.norm == Norm::none && a.d_ff == 0 && !a.residual;
  if (is_bare) words.add("attention alone");
  if (!is_bare) words.add(norm_words(a));
  if (!is_bare && !a.residual) words.add("no residual");
  if (a.d_ff > 0) words.add(activation_words(a));
  if (a.is_parallel()) words.add("parallel");
  if (a.sliding_window) words.add("window " + std::to_string(*a.sliding_window));
  return words.text("");
}

}  // namespace headscope
