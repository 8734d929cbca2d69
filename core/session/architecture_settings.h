#pragma once

#include <array>

#include "core/session/input_settings.h"

namespace headscope {

namespace place_in {
template <auto member>
inline constexpr auto architecture = place_at<&Session::architecture, member>;
template <auto member>
inline constexpr auto bias = place_at<&Session::architecture, &Architecture::bias, member>;
template <auto member>
constexpr field::Choice architecture_choice() {
  return field::choice<&Session::architecture, member>();
}
}  // namespace place_in

/// The shape of the model. Folders of trained models hold these settings, too.
inline constexpr std::array architecture_settings{
    Setting{"architecture.d_model", "d_model", "--d-model", "N", model_group, "Width of a token's vector", "",
            field::Whole{place_in::architecture<&Architecture::d_model>, ArchitectureLimits::min_d_model,
                         ArchitectureLimits::max_d_model}},
    Setting{"architecture.heads", "the number of heads", "--heads", "N", model_group,
            "Number of attention heads, each with its own queries, keys and values", "",
            field::Whole{place_in::architecture<&Architecture::n_heads>, ArchitectureLimits::min_heads,
                         ArchitectureLimits::max_heads}},
    Setting{"architecture.kv_heads", "the number of key and value heads", "--kv-heads", "N|auto", model_group,
            "Heads that have keys and values of their own, each shared by a group of query heads: 1 is "
            "multi-query "
            "attention, fewer than heads is grouped-query attention",
            "as many as heads",
            field::OptionalWhole{place_in::architecture<&Architecture::n_kv_heads>,
                                 ArchitectureLimits::min_heads, ArchitectureLimits::max_heads, "auto"}},
    Setting{
        "architecture.d_head", "d_head", "--d-head", "N|auto", model_group,
        "Width of a head's queries and keys", "d_model / heads",
        field::OptionalWhole{place_in::architecture<&Architecture::d_head>,
                             ArchitectureLimits::min_head_width, ArchitectureLimits::max_head_width, "auto"}},
    Setting{
        "architecture.d_value", "d_value", "--d-value", "N|auto", model_group,
        "Width of a head's values; may differ from d_head", "d_head",
        field::OptionalWhole{place_in::architecture<&Architecture::d_value>,
                             ArchitectureLimits::min_head_width, ArchitectureLimits::max_head_width, "auto"}},
    Setting{"architecture.score_scale", "the scale of the scores", "--score-scale", "X", model_group,
            "What raw scores are multiplied by in place of 1/√d_head, unless scaling is off; 0 for 1/√d_head",
            "",
            field::Decimal{place_in::architecture<&Architecture::score_scale>, 0.0F,
                           ArchitectureLimits::max_score_scale}},
    Setting{
        "architecture.softcap", "the softcap", "--softcap", "C", model_group,
        "Squashes scaled scores into ±C by C · tanh(score / C) before the mask, as Gemma 2 does with 50; 0 "
        "for none",
        "",
        field::Decimal{place_in::architecture<&Architecture::softcap>, 0.0F,
                       ArchitectureLimits::max_softcap}},
    Setting{"architecture.logit_softcap", "the softcap of the logits", "--logit-softcap", "C", model_group,
            "Squashes logits into ±C likewise, as Gemma 2 does with 30; 0 for none", "",
            field::Decimal{place_in::architecture<&Architecture::logit_softcap>, 0.0F,
                           ArchitectureLimits::max_softcap}},
    Setting{"architecture.stacks", "the stacks", "--stacks", "WHICH", model_group,
            "Which stacks there are. A decoder alone is causal, as GPT; beside an encoder it also attends to "
            "the encoder's output; cross is that attention alone, without self-attention",
            "", place_in::architecture_choice<&Architecture::stacks>()},
    Setting{"architecture.layers", "the number of layers", "--layers", "N", model_group, "Layers per stack",
            "without it, bare attention, unless another option implies full layers with norms, residual "
            "connections and feed-forward",
            field::Whole{place_in::architecture<&Architecture::n_layers>, ArchitectureLimits::min_layers,
                         ArchitectureLimits::max_layers}},
    Setting{"architecture.d_ff", "d_ff", "--d-ff", "N", model_group,
            "Width of the feed-forward layer, two linear layers that each token passes through on its own "
            "after attention; 0 for none",
            "4 · d_model in full layers",
            field::Whole{place_in::architecture<&Architecture::d_ff>, 0, ArchitectureLimits::max_d_ff}},
    Setting{
        "architecture.norm", "the layer norm", "--norm", "WHERE", model_group,
        "Where layer norms are. pre: before each sublayer; post: after each residual sum, as in the paper",
        "post in full layers", place_in::architecture_choice<&Architecture::norm>()},
    Setting{"architecture.residual", "the residual connections", "--no-residual", "", model_group,
            "Residual connections, by which each sublayer's output is added to its input", "",
            field::Flag{place_in::architecture<&Architecture::residual>, false, "--layers"}},
    Setting{"architecture.scales_embedding", "the factor of the embeddings", "--scale-embedding", "",
            model_group, "Multiply the embeddings by √d_model, as the paper does", "",
            field::Flag{place_in::architecture<&Architecture::scales_embedding>}},
    Setting{"architecture.activation", "the activation", "--activation", "WHICH", model_group,
            "The function between the two linear layers of the feed-forward layer", "",
            place_in::architecture_choice<&Architecture::activation>()},
    Setting{"architecture.output_layer", "the output layer", "--output-layer", "WHICH", model_group,
            "Final linear layer and softmax over the words of the sentences; tied shares the embeddings' "
            "weights",
            "", place_in::architecture_choice<&Architecture::output_layer>()},
    Setting{"architecture.output_bias", "the output bias", "--output-bias", "", model_group,
            "Add a bias to the final linear layer, one number per word", "",
            field::Flag{place_in::architecture<&Architecture::output_bias>}},
    Setting{"architecture.positions", "the positions", "--positions", "WHICH", model_group,
            "How the model knows the order of the words: rows added to the embeddings (sinusoidal, in split "
            "halves, learned), queries and keys turned (rotary), or a bias on the scores by distance "
            "(relative, alibi)",
            "", place_in::architecture_choice<&Architecture::positions>()},
    Setting{"architecture.bias.query", "the bias of the queries", "--no-bias", "", model_group,
            "Bias of the queries, b_Q", "", field::Flag{place_in::bias<&Biases::query>, false}},
    Setting{"architecture.bias.key", "the bias of the keys", "--no-bias", "", model_group,
            "Bias of the keys, b_K", "", field::Flag{place_in::bias<&Biases::key>, false}},
    Setting{"architecture.bias.value", "the bias of the values", "--no-bias", "", model_group,
            "Bias of the values, b_V", "", field::Flag{place_in::bias<&Biases::value>, false}},
    Setting{"architecture.bias.output", "the bias of the output projection", "--no-bias", "", model_group,
            "Bias of the output projection, b_O", "", field::Flag{place_in::bias<&Biases::output>, false}},
    Setting{"architecture.output_projection", "the output projection", "--no-output-projection", "",
            model_group, "Output projection, which multiplies the concatenated head outputs by W_O", "",
            field::Flag{place_in::architecture<&Architecture::output_projection>, false}},
    Setting{"architecture.init", "the initialisation", "--init", "HOW", model_group,
            "How random weights are drawn. normal: N(0, 1); xavier: uniform ±√(6 / (in + out)), where out is "
            "the width of one head's matrix (PyTorch: of all heads); scaled: N(0, 1/in)",
            "", place_in::architecture_choice<&Architecture::init>()},
    Setting{"architecture.seed", "the seed of the weights", "--seed", "N", model_group,
            "Seed of the random weights, and of the sentences in training; the same one gives the same "
            "numbers on every machine",
            "", field::Seed{place_in::architecture<&Architecture::seed>}},
};

inline constexpr std::array architecture_options{
    SharedOption{"--no-bias", "q,k,v,o", model_group,
                 "Projections without a bias: letters of q,k,v,o (all four)"},
};

}  // namespace headscope
