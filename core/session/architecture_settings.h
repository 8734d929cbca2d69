#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/enum_count.h"
#include "core/session/setting.h"

namespace headscope {

inline constexpr std::string_view input_group = "Input";
inline constexpr std::string_view model_group = "Model";

/// Returns the index of the batch's last sentence.
inline int last_sequence(const Session& session) {
  return std::max(static_cast<int>(session.batch.size()) - 1, 0);
}
/// Sets the sentence to the selected one of the batch, if there is a batch.
inline void use_batch_sentence(Session& session) {
  if (!session.batch.empty()) session.sentence = session.batch[static_cast<std::size_t>(session.sequence)];
}

/// The settings of the input, and the words that are predicted.
inline constexpr std::array input_settings{
    Setting{"sentence", "the sentence", "--sentence", "TEXT", input_group,
            "The sentence, in quotes; with two stacks, the source", "",
            field::Text{accessor_of<&Session::sentence>}},
    Setting{"target", "the target", "--target", "TEXT", input_group,
            "The decoder's sentence, with --stacks encoder-decoder or cross", "",
            field::Text{accessor_of<&Session::target>}},
    Setting{"batch", "the batch", "--batch", "FILE", input_group,
            "A file with one sentence per line; padded to one length", "",
            field::Texts{accessor_of<&Session::batch>}},
    as_selection({"sequence", "the sentence of the batch", "--sequence", "I", input_group,
                  "Which sentence of the batch to show, counted from 0", "",
                  field::Integer{accessor_of<&Session::sequence>, 0, 0, last_sequence}, Control{},
                  use_batch_sentence}),
    Setting{"tokenizer", "the tokenizer", "--tokenizer", "WHICH", input_group,
            "How sentences are split into tokens", "", field::choice<&Session::tokenizer>()},
    Setting{"output_words", "the output words", "--output-words", "WORDS", model_group,
            "The words to predict with random weights, such as \"a am I student\"", "those of the sentences",
            field::Text{accessor_of<&Session::output_words>}},
    Setting{
        "model", "the trained weights", "--model", "NAME|DIR|FILE", model_group,
        "pronouns, stories, copying, reversing, untrained (random weights), the folder of a trained model, or a GGUF file",
        "pronouns; untrained if an option sets the architecture",
        field::Weights{accessor_of<&Session::model>}},
};

/// The parts of the controls for the architecture that are not in their records.
namespace control {

inline constexpr auto stacks =
    make_enum_table<Stacks, std::string_view>("encoder", "decoder", "both", "cross");
inline constexpr auto norms =
    make_enum_table<Norm, std::string_view>("none", "before", "after", "outputs", "both");
inline constexpr auto norm_kinds = make_enum_table<NormKind, std::string_view>("layer norm", "RMS norm");
inline constexpr auto blocks =
    make_enum_table<Block, std::string_view>("after attention", "beside, own norm", "beside, one norm");
inline constexpr auto activations =
    make_enum_table<Activation, std::string_view>("ReLU", "GELU", "GELU by tanh", "SiLU");
inline constexpr auto positions = make_enum_table<Positions, std::string_view>(
    "none", "sinusoidal", "split halves", "learned", "rotary", "relative", "ALiBi");
inline constexpr auto pairings = make_enum_table<RotaryPairing, std::string_view>("neighbours", "halves");
inline constexpr auto scalings =
    make_enum_table<RotaryScaling, std::string_view>("none", "linear", "NTK-aware", "YaRN", "Llama 3");
inline constexpr auto inits = make_enum_table<Init, std::string_view>("N(0, 1)", "Xavier", "Scaled");

/// Returns the same number in every session.
template <int value>
double number(const Session&) {
  return value;
}

inline double default_scale(const Session& s) {
  const Architecture& a = s.architecture;
  return a.n_heads < 1 ? 1.0 : 1.0 / std::sqrt(static_cast<double>(std::max(a.head_width(no_layer), 1)));
}
inline double default_d_ff(const Session& s) {
  constexpr int default_factor = 4;
  return std::min(default_factor * s.architecture.d_model, ArchitectureLimits::max_d_ff);
}

inline int share_of_d_model(const Session& s) {
  return std::max(s.architecture.d_model / std::max(s.architecture.n_heads, 1), 1);
}

inline std::string_view kv_heads_label(const Session& s) {
  if (!s.architecture.shares_keys(no_layer)) return "key/value heads = heads";
  return s.architecture.kv_heads(no_layer) == 1 ? "key/value heads (multi-query)"
                                                : "key/value heads (grouped)";
}
inline std::string_view d_head_label(const Session& s) {
  // If the division has a remainder, only an explicit width helps.
  const Architecture& a = s.architecture;
  const bool follows = !a.d_head && a.n_heads > 0 && a.d_model % a.n_heads == 0;
  return follows ? "d_head = d_model / heads" : "d_head";
}

inline bool is_scaled(const Session& s) {
  const Architecture& a = s.architecture;
  return (s.attention.scale && !a.linear_attention) || a.score_scale > 0.0F;
}
inline bool may_have_softcap(const Session& s) {
  return !s.architecture.linear_attention || s.architecture.softcap > 0.0F;
}
inline bool may_have_sinks(const Session& s) {
  return !s.architecture.linear_attention || s.architecture.sinks;
}
inline bool has_output_layer(const Session& s) {
  return s.architecture.output_layer != OutputLayer::none;
}
inline bool has_norm(const Session& s) {
  return s.architecture.norm != Norm::none;
}
inline bool has_feed_forward(const Session& s) {
  return s.architecture.d_ff > 0;
}
inline bool has_rotary_positions(const Session& s) {
  return s.architecture.uses_rotary();
}
inline bool scales_rotary(const Session& s) {
  return s.architecture.uses_rotary() && s.architecture.rotary.scaling != RotaryScaling::none;
}
inline bool has_original_length(const Session& s) {
  const RotaryScaling scaling = s.architecture.rotary.scaling;
  return s.architecture.uses_rotary() && (scaling == RotaryScaling::yarn || scaling == RotaryScaling::llama3);
}
inline bool rotates_locally(const Session& s) {
  return s.architecture.uses_rotary() && s.architecture.sliding_window;
}

}  // namespace control

/// Linear attention excludes sinks, softcaps, score scales, a latent, and positions that rotate queries and
/// keys or bias scores.
inline void reconcile_linear_attention(Session& session) {
  Architecture& a = session.architecture;
  if (!a.linear_attention) return;
  a.sinks = false;
  a.softcap = 0.0F;
  a.score_scale = 0.0F;
  a.kv_latent.reset();
  if (a.uses_rotary() || a.has_position_biases()) a.positions = Positions::sinusoidal;
}

/// A latent needs keys that are not rotated as a whole. Rotates half of each key, or nothing if that leaves
/// no pair of dimensions.
inline void reconcile_latent(Session& session) {
  Architecture& a = session.architecture;
  if (!a.kv_latent || a.n_heads < 1) return;
  if (a.per_head_key_width(AttentionKind::self, no_layer) <= 0) a.rotary.fraction = 0.5F;
  if (a.uses_rotary() && rotated_width(a.rotary, a.head_width(no_layer)) == 0)
    a.positions = Positions::sinusoidal;
}

/// A parallel block needs residual connections, and norms that let both sublayers read the same row.
inline void reconcile_block(Session& session) {
  Architecture& a = session.architecture;
  if (!a.is_parallel()) return;
  a.residual = true;
  if (!a.norms_allow_parallel()) a.norm = Norm::pre;
}
inline void reconcile_residual(Session& session) {
  if (!session.architecture.residual) session.architecture.block = Block::sequential;
}
inline void reconcile_norm(Session& session) {
  if (!session.architecture.norms_allow_parallel()) session.architecture.block = Block::sequential;
}

namespace accessors {
template <auto member>
inline constexpr auto architecture = accessor_of<&Session::architecture, member>;
template <auto member>
inline constexpr auto bias = accessor_of<&Session::architecture, &Architecture::bias, member>;
template <auto member>
inline constexpr auto rotary = accessor_of<&Session::architecture, &Architecture::rotary, member>;
template <auto member>
constexpr field::Choice architecture_choice() {
  return field::choice<&Session::architecture, member>();
}
}  // namespace accessors

/// The settings of the model's shape, which folders of trained models also store.
inline constexpr std::array
    architecture_settings{
        Setting{"architecture.d_model", "d_model", "--d-model", "N", model_group, "Width of a token's vector",
                "",
                field::Integer{accessors::architecture<&Architecture::d_model>,
                               ArchitectureLimits::min_d_model, ArchitectureLimits::max_d_model},
                Control{.label = "d_model", .low = 8, .high = 1024, .step = 8, .logarithmic = true}},
        Setting{"architecture.heads", "the number of heads", "--heads", "N", model_group,
                "Number of attention heads, each with its own queries, keys and values", "",
                field::Integer{accessors::architecture<&Architecture::n_heads>, ArchitectureLimits::min_heads,
                               ArchitectureLimits::max_heads},
                Control{.label = "heads", .low = 1, .high = 64, .logarithmic = true}},
        Setting{
            "architecture.kv_heads", "the number of key and value heads", "--kv-heads", "N|auto", model_group,
            "Heads that have keys and values of their own, each shared by a group of query heads: 1 is multi-query attention, fewer than heads is grouped-query attention",
            "as many as heads",
            field::OptionalInteger{accessors::architecture<&Architecture::n_kv_heads>,
                                   ArchitectureLimits::min_heads, ArchitectureLimits::max_heads, "auto"},
            Control{.label = "key/value heads",
                    .low = 1,
                    .high = 1,
                    .derived_value = [](const Session& s) { return s.architecture.n_heads; },
                    .label_for = control::kv_heads_label,
                    .applies =
                        [](const Session& s) {
                          return s.architecture.n_heads > 1 || s.architecture.n_kv_heads;
                        }}},
        Setting{
            "architecture.kv_latent", "the latent of keys and values", "--kv-latent", "N|none", model_group,
            "Compute the keys and values of all heads from one normalised row of N numbers per token (multi-head latent attention, as in DeepSeek-V2), which is all that decoding keeps of them. The dimensions that rotary positions rotate are then one key for all heads",
            "none",
            field::OptionalInteger{accessors::architecture<&Architecture::kv_latent>, 1,
                                   ArchitectureLimits::max_d_model, "none"},
            Control{
                .label = "Latent attention (MLA)",
                .low = 1,
                .high = 64,
                .logarithmic = true,
                .slider_label = "latent width",
                .first = [](const Session& s) -> double { return std::max(s.architecture.d_model / 2, 1); }},
            reconcile_latent},
        Setting{"architecture.d_head", "d_head", "--d-head", "N|auto", model_group,
                "Width of a head's queries and keys", "d_model / heads",
                field::OptionalInteger{accessors::architecture<&Architecture::d_head>,
                                       ArchitectureLimits::min_head_width, ArchitectureLimits::max_head_width,
                                       "auto"},
                Control{.label = "d_head",
                        .low = 1,
                        .high = 256,
                        .logarithmic = true,
                        .derived_value = control::share_of_d_model,
                        .label_for = control::d_head_label}},
        Setting{"architecture.d_value", "d_value", "--d-value", "N|auto", model_group,
                "Width of a head's values; may differ from d_head", "d_head",
                field::OptionalInteger{accessors::architecture<&Architecture::d_value>,
                                       ArchitectureLimits::min_head_width, ArchitectureLimits::max_head_width,
                                       "auto"},
                Control{.label = "d_value",
                        .low = 1,
                        .high = 256,
                        .logarithmic = true,
                        .derived_value =
                            [](const Session& s) {
                              return s.architecture.d_head.value_or(control::share_of_d_model(s));
                            },
                        .label_for = [](const Session& s) -> std::string_view {
                          return s.architecture.d_value ? "d_value" : "d_value = d_head";
                        }}},
        Setting{
            "architecture.score_scale", "the scale of the scores", "--score-scale", "X", model_group,
            "The factor by which raw scores are multiplied instead of 1/√d_head, unless scaling is off; 0 for 1/√d_head",
            "",
            field::Real{accessors::architecture<&Architecture::score_scale>, 0.0F,
                        ArchitectureLimits::max_score_scale},
            Control{.label = "Custom scale",
                    .low = 0.01,
                    .high = 2,
                    .decimals = 3,
                    .logarithmic = true,
                    .slider_label = "scale",
                    .first = control::default_scale,
                    .applies = control::is_scaled}},
        Setting{
            "architecture.softcap", "the softcap", "--softcap", "C", model_group,
            "Squash scaled scores into ±C by C · tanh(score / C) before the mask, as Gemma 2 does with 50; 0 for none",
            "",
            field::Real{accessors::architecture<&Architecture::softcap>, 0.0F,
                        ArchitectureLimits::max_softcap},
            Control{.label = "Softcap of the scores",
                    .low = 0.01,
                    .high = 100,
                    .logarithmic = true,
                    .slider_label = "C",
                    .first = control::number<50>,
                    .applies = control::may_have_softcap}},
        Setting{"architecture.logit_softcap", "the softcap of the logits", "--logit-softcap", "C",
                model_group, "Squash logits into ±C in the same way, as Gemma 2 does with 30; 0 for none", "",
                field::Real{accessors::architecture<&Architecture::logit_softcap>, 0.0F,
                            ArchitectureLimits::max_softcap},
                Control{.label = "Softcap of the logits",
                        .low = 0.01,
                        .high = 100,
                        .logarithmic = true,
                        .slider_label = "C",
                        .first = control::number<30>,
                        .applies = control::has_output_layer}},
        Setting{
            "architecture.linear_attention", "linear attention", "--linear-attention", "", model_group,
            "Weights without softmax, as in Katharopoulos et al. 2020: queries and keys go through elu(x) + 1, and each score is divided by its row's sum. A scale or temperature would cancel and is not used, and hidden cells are left out of the sum whatever the mask value is",
            "", field::Flag{accessors::architecture<&Architecture::linear_attention>},
            Control{.label = "Linear attention"}, reconcile_linear_attention},
        Setting{
            "architecture.sinks", "the sinks", "--sinks", "", model_group,
            "Give each head a learned score that takes part in every query's softmax but has no value, as in gpt-oss, so that the head can look at nothing",
            "", field::Flag{accessors::architecture<&Architecture::sinks>},
            Control{.label = "Sinks", .panel = "Attention", .applies = control::may_have_sinks}},
        Setting{"architecture.qk_norm", "the norm of queries and keys", "--qk-norm", "", model_group,
                "Divide each query and key by its root mean square, times a learned gain, before positions rotate them, as Qwen 3 and Gemma 3 do",
                "", field::Flag{accessors::architecture<&Architecture::qk_norm>},
                Control{.label = "Norm of queries and keys", .panel = "Attention"}},
        Setting{"architecture.output_gate", "the gate of the heads", "--output-gate", "", model_group,
                "Multiply the heads' outputs by σ(x W_G) before W_O, as Qwen3-Next does",
                "", field::Flag{accessors::architecture<&Architecture::output_gate>},
                Control{.label = "Gate of the heads' outputs", .panel = "Attention"}},
        Setting{"architecture.stacks", "the stacks", "--stacks", "WHICH", model_group,
                "The stacks of the model. A decoder alone is causal, like GPT; with an encoder, it also attends to the encoder's output; cross is this cross-attention alone, without self-attention",
                "", accessors::architecture_choice<&Architecture::stacks>(),
                Control{.label = "stacks", .names = control::stacks}},
        Setting{"architecture.layers", "the number of layers", "--layers", "N", model_group,
                "Layers per stack",
                "without it, attention alone, unless another option implies full layers with norms, residual connections and feed-forward",
                field::Integer{accessors::architecture<&Architecture::n_layers>,
                               ArchitectureLimits::min_layers, ArchitectureLimits::max_layers},
                Control{.label = "layers", .low = 1, .high = 12}},
        Setting{"architecture.d_ff", "d_ff", "--d-ff", "N", model_group,
                "Width of the feed-forward layer, two linear layers that each token passes through on its own after attention; 0 for none",
                "4 · d_model in full layers",
                field::Integer{accessors::architecture<&Architecture::d_ff>, 0, ArchitectureLimits::max_d_ff},
                Control{.label = "Feed-forward layer",
                        .low = 1,
                        .high = ArchitectureLimits::max_d_ff,
                        .logarithmic = true,
                        .slider_label = "d_ff",
                        .first = control::default_d_ff}},
        Setting{"architecture.norm", "the place of the norms", "--norm", "WHERE", model_group,
                "Where the norms are. pre: before each sublayer; post: after each residual sum, as in the paper; output: on each sublayer's output before that is added, as in OLMo 2; both: before each sublayer and on its output, as in Gemma 2",
                "post in full layers, pre in parallel ones",
                accessors::architecture_choice<&Architecture::norm>(),
                Control{.label = "norm", .names = control::norms}, reconcile_norm},
        Setting{"architecture.norm_kind", "the kind of norm", "--norm-kind", "KIND", model_group,
                "What a norm does to each row. layer: scale it to mean 0 and variance 1, then apply a gain and a bias; rms, as in Llama: divide it by its root mean square, then apply a gain",
                "", accessors::architecture_choice<&Architecture::norm_kind>(),
                Control{.label = "kind of norm", .names = control::norm_kinds, .applies = control::has_norm}},
        Setting{"architecture.norm_epsilon", "ε of the norms", "--norm-epsilon", "ε", model_group,
                "What norms add to the variance or the mean square so that they never divide by 0; for norms around sublayers, of queries and keys, and of a latent",
                "", field::Real{accessors::architecture<&Architecture::norm_epsilon>, ArchitectureLimits::min_norm_epsilon, ArchitectureLimits::max_norm_epsilon},
                Control{.label = "ε", .is_typed = true, .applies = control::has_norm}},
        Setting{"architecture.block", "the block", "--block", "HOW", model_group,
                "What the feed-forward layer reads. sequential: the output of attention; parallel, as in GPT-NeoX: the input of the layer, to which the outputs of both sublayers are added; parallel-shared, as in GPT-J and PaLM: the same, after attention's norm",
                "", accessors::architecture_choice<&Architecture::block>(),
                Control{.label = "runs",
                        .names = control::blocks,
                        .is_dropdown = true,
                        .applies = control::has_feed_forward},
                reconcile_block},
        Setting{"architecture.residual", "the residual connections", "--no-residual", "", model_group,
                "Residual connections, by which each sublayer's output is added to its input",
                "", field::Flag{accessors::architecture<&Architecture::residual>, false, "--layers"},
                Control{.label = "Residual connections"}, reconcile_residual},
        Setting{"architecture.scales_embedding", "the factor of the embeddings", "--scale-embedding",
                "", model_group, "Multiply the embeddings by √d_model, as the paper does",
                "", field::Flag{accessors::architecture<&Architecture::scales_embedding>}},
        Setting{"architecture.activation", "the activation", "--activation", "WHICH", model_group,
                "The function between the linear layers of the feed-forward layer: max(x, 0), x Φ(x) by erf or by tanh, or x σ(x)",
                "", accessors::architecture_choice<&Architecture::activation>(),
                Control{.label = "activation",
                        .names = control::activations,
                        .is_dropdown = true,
                        .applies = control::has_feed_forward}},
        Setting{"architecture.gated", "the gate of the feed-forward layer", "--gated-ffn", "", model_group,
                "Multiply the activated numbers by the output of a second linear layer: SwiGLU with silu, as in Llama; GEGLU with gelu, as in Gemma",
                "", field::Flag{accessors::architecture<&Architecture::gated>},
                Control{.label = "Gated", .applies = control::has_feed_forward}},
        Setting{"architecture.output_layer", "the output layer", "--output-layer", "WHICH", model_group,
                "Final linear layer and softmax over the words of the sentences; tied shares the embeddings' weights",
                "", accessors::architecture_choice<&Architecture::output_layer>(),
                Control{.label = "output layer", .is_dropdown = true}},
        Setting{"architecture.output_bias", "the output bias", "--output-bias", "", model_group,
                "Add a bias to the final linear layer, one number per word",
                "", field::Flag{accessors::architecture<&Architecture::output_bias>},
                Control{.label = "Output bias", .applies = control::has_output_layer}},
        Setting{"architecture.positions", "the positions", "--positions", "WHICH", model_group,
                "How the model knows the order of the words: rows added to the embeddings (sinusoidal, in split halves, learned), rotated queries and keys (rotary), or a bias on the scores by distance (relative, alibi)",
                "", accessors::architecture_choice<&Architecture::positions>(),
                Control{.label = "positions", .names = control::positions, .is_dropdown = true}},
        Setting{"architecture.relative_buckets", "the buckets of relative positions", "--relative-buckets",
                "N|none", model_group,
                "Relative positions share biases in N buckets, which grow with the distance, as in T5; in an encoder, half of them are for each direction; none: each distance up to 15 has its own bias",
                "none", field::OptionalInteger{accessors::architecture<&Architecture::relative_buckets>, ArchitectureLimits::min_relative_buckets, ArchitectureLimits::max_relative_buckets, "none"},
                Control{.label = "Distances share buckets",
                        .step = 2,
                        .logarithmic = true,
                        .slider_label = "buckets",
                        .first = control::number<32>,
                        .applies =
                            [](const Session& s) {
                              return s.architecture.positions == Positions::relative;
                            }}},
        Setting{"architecture.rotary.base", "the base of rotary positions", "--rotary-base", "B", model_group,
                "Rotary positions rotate pair i by position / B^(2i/n), where n dimensions rotate: a larger base rotates more slowly",
                "", field::Real{accessors::rotary<&Rotary::base>, rotary_limits::min_base, rotary_limits::max_base},
                Control{.label = "base",
                        .decimals = 0,
                        .logarithmic = true,
                        .applies = control::has_rotary_positions}},
        Setting{"architecture.rotary.fraction", "the rotary fraction", "--rotary-fraction", "F", model_group,
                "The share of a head's dimensions that rotate, starting with the first; the others stay as they are",
                "", field::Real{accessors::rotary<&Rotary::fraction>, rotary_limits::min_fraction, rotary_limits::max_fraction},
                Control{.label = "share that rotates", .applies = control::has_rotary_positions}},
        Setting{"architecture.rotary.pairing", "the rotary pairing", "--rotary-pairing", "WHICH", model_group,
                "Which dimensions rotate together. interleaved: 2i and 2i + 1, as in the paper and Llama's own code; halves: i and i + n/2, as in GPT-NeoX and Hugging Face's models",
                "", field::choice<&Session::architecture, &Architecture::rotary, &Rotary::pairing>(),
                Control{.label = "pairs",
                        .names = control::pairings,
                        .is_dropdown = true,
                        .applies = control::has_rotary_positions}},
        Setting{"architecture.rotary.scaling", "the rotary scaling", "--rotary-scaling", "HOW", model_group, "How rotary positions are slowed for contexts longer than in training. linear: every pair by the factor; ntk: by a larger base, the slowest pair by the factor; yarn: slow pairs by the factor, fast ones not at all, and those between by a share that grows evenly from pair to pair, as in Hugging Face's models; llama3: the same, but by a share that grows with the number of turns, as in Llama 3.1. yarn also multiplies cosines and sines by m = 0.1 ln(factor) + 1, or with --kv-latent all scores by m², as DeepSeek-V3 does",
                "", field::choice<&Session::architecture, &Architecture::rotary, &Rotary::scaling>(),
                Control{.label = "long contexts",
                        .names = control::scalings,
                        .is_dropdown = true,
                        .applies = control::has_rotary_positions}},
        Setting{"architecture.rotary.factor", "the factor of the rotary scaling", "--rotary-factor", "S",
                model_group,
                "How many times longer than in training the context is to be, for --rotary-scaling",
                "", field::Real{accessors::rotary<&Rotary::factor>, rotary_limits::min_factor, rotary_limits::max_factor},
                Control{.label = "factor",
                        .decimals = 1,
                        .logarithmic = true,
                        .applies = control::scales_rotary}},
        Setting{"architecture.rotary.original_length", "the original length", "--rotary-original-length", "N",
                model_group,
                "The number of positions in training: yarn and llama3 slow the pairs that turn less than once over them",
                "", field::Integer{accessors::rotary<&Rotary::original_length>, rotary_limits::min_length, rotary_limits::max_length},
                Control{.label = "original length",
                        .logarithmic = true,
                        .applies = control::has_original_length}},
        Setting{"architecture.rotary.local_base", "the rotary base of local layers", "--rotary-local-base",
                "B", model_group,
                "The base of rotary positions in layers with the sliding window, to which no scaling is then applied, as in Gemma 3; 0: the base of the other layers",
                "", field::Real{accessors::rotary<&Rotary::local_base>, 0.0F, rotary_limits::max_base},
                Control{.label = "Own base in local layers",
                        .low = rotary_limits::min_base,
                        .high = rotary_limits::max_base,
                        .decimals = 0,
                        .logarithmic = true,
                        .slider_label = "base of local layers",
                        .first = [](const Session&) -> double { return static_cast<double>(Rotary{}.base); },
                        .applies = control::rotates_locally}},
        Setting{"architecture.sliding_window", "the sliding window of the layers", "--sliding-window",
                "W|none", model_group,
                "In self-attention, a query sees itself and the W − 1 tokens before it, as configurations count; where it is not causal, also the W − 1 after it. --mask window:W counts the distance: W here is window:W − 1",
                "none", field::OptionalInteger{accessors::architecture<&Architecture::sliding_window>, ArchitectureLimits::min_sliding_window, ArchitectureLimits::max_sliding_window, "none"},
                Control{.label = "Sliding window in layers",
                        .low = 1,
                        .high = 1,
                        .ends_at_n_tokens = true,
                        .slider_label = "tokens seen",
                        .first = control::number<4>}},
        Setting{"architecture.global_every", "the global layers", "--global-every", "N|none", model_group,
                "Every N-th layer is global, without the sliding window: layers N − 1, 2N − 1 and so on, counted from 0",
                "none", field::OptionalInteger{accessors::architecture<&Architecture::global_every>, 1, ArchitectureLimits::max_layers, "none"},
                Control{.label = "global every",
                        .low = 1,
                        .high = 6,
                        .slider_label = "layers",
                        .first = control::number<2>,
                        .applies =
                            [](const Session& s) { return s.architecture.sliding_window.has_value(); }}},
        Setting{"architecture.bias.query", "the bias of the queries", "--no-bias", "", model_group,
                "Bias of the queries, b_Q", "", field::Flag{accessors::bias<&Biases::query>, false},
                Control{.label = "Q"}},
        Setting{"architecture.bias.key", "the bias of the keys", "--no-bias", "", model_group,
                "Bias of the keys, b_K", "", field::Flag{accessors::bias<&Biases::key>, false},
                Control{.label = "K"}},
        Setting{"architecture.bias.value", "the bias of the values", "--no-bias", "", model_group,
                "Bias of the values, b_V", "", field::Flag{accessors::bias<&Biases::value>, false},
                Control{.label = "V"}},
        Setting{"architecture.bias.output", "the bias of the output projection", "--no-bias", "", model_group,
                "Bias of the output projection, b_O",
                "", field::Flag{accessors::bias<&Biases::output>, false}, Control{.label = "O"}},
        Setting{"architecture.bias.feed_forward", "the biases of the feed-forward layer", "--no-bias",
                "", model_group, "Biases of the feed-forward layer, b_1, b_2 and with a gate b_up",
                "", field::Flag{accessors::bias<&Biases::feed_forward>, false},
                Control{.label = "Biases", .applies = control::has_feed_forward}},
        Setting{"architecture.output_projection", "the output projection", "--no-output-projection",
                "", model_group, "Output projection, which multiplies the concatenated head outputs by W_O",
                "", field::Flag{accessors::architecture<&Architecture::output_projection>, false},
                Control{.label = "Output projection"}},
        Setting{"architecture.init", "the initialisation", "--init", "HOW", model_group,
                "How random weights are drawn. normal: N(0, 1); xavier: uniform ±√(6 / (in + out)), where out is the width of one head's matrix (PyTorch: of all heads); scaled: N(0, 1/in)",
                "", accessors::architecture_choice<&Architecture::init>(),
                Control{.label = "init", .names = control::inits}},
        Setting{
            "architecture.seed", "the seed of the weights", "--seed", "N", model_group,
            "Seed of the random weights and of the sentences in training; the same seed gives the same numbers on every machine",
            "", field::Seed{accessors::architecture<&Architecture::seed>}, Control{.label = "seed"}},
    };

inline constexpr std::array architecture_options{
    SharedOption{
        "--no-bias", "q,k,v,o,f", model_group,
        "Linear layers without a bias: letters of q,k,v,o, attention's projections (all four), and f, the feed-forward layer"},
};

}  // namespace headscope
