#pragma once

#include <array>

#include "core/trace/parameter_stages.h"
#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

/// The formula with the usual name of the gate: "F′ ⊙ U (SwiGLU)".
std::string gated_formula(const Trace& trace, const StageId& id);

/// The stages of the feed-forward layer and those around it.
inline constexpr std::array feed_forward_stages = {
    StageRecord{
        .info = {.kind = feed_forward_norm,
                 .symbol = "x̂",
                 .title = "Normalised input of the feed-forward layer",
                 .formula = "LayerNorm(x)",
                 .section = PageSection::feed_forward,
                 .meaning =
                     "Each token's row, normalised to one scale before the feed-forward layer reads it."},
    },
    StageRecord{
        .info = {.kind = hidden,
                 .symbol = "F",
                 .title = "Feed-forward, hidden",
                 .formula = "x W_1 + b_1",
                 .einsum = "td,df->tf",
                 .section = PageSection::feed_forward,
                 .meaning = "What the feed-forward layer finds in each token on its own."},
    },
    StageRecord{
        .info = {.kind = activated,
                 .symbol = "F′",
                 .title = "Feed-forward, activated",
                 .formula = "ReLU(F)",
                 .section = PageSection::feed_forward,
                 .meaning = "The hidden numbers after the activation, which lets only some of them through."},
    },
    StageRecord{
        .info = {.kind = up,
                 .symbol = "U",
                 .title = "Feed-forward, up",
                 .formula = "x W_up + b_up",
                 .einsum = "td,df->tf",
                 .section = PageSection::feed_forward,
                 .meaning =
                     "A second set of hidden numbers, without an activation, which the gate multiplies."},
    },
    StageRecord{
        .info = {.kind = feed_forward_gated,
                 .symbol = "G",
                 .title = "Feed-forward, gated",
                 .formula = "F′ ⊙ U",
                 .section = PageSection::feed_forward,
                 .meaning =
                     "Each number of U times its gate, which is the activated number in the same place."},
        .formula = gated_formula,
    },
    StageRecord{
        .info = {.kind = feed_forward_output,
                 .symbol = "Z",
                 .title = "Feed-forward output",
                 .formula = "F′ W_2 + b_2",
                 .einsum = "tf,fd->td",
                 .section = PageSection::feed_forward,
                 .meaning = "The output of the feed-forward layer for each token."},
    },
    StageRecord{
        .info = {.kind = feed_forward_residual,
                 .symbol = "x + Z",
                 .title = "Residual sum of the feed-forward layer",
                 .formula = "x + Z",
                 .section = PageSection::feed_forward,
                 .meaning = "The input of the feed-forward layer plus its output."},
    },
    StageRecord{
        .info = {.kind = feed_forward_normed,
                 .symbol = "x̂",
                 .title = "Normalised sum of the feed-forward layer",
                 .formula = "LayerNorm(x + Z)",
                 .section = PageSection::feed_forward,
                 .meaning = "The residual sum with every row normalised to one scale."},
    },
};

/// The weights and biases of the feed-forward layer and of the norm around it.
inline constexpr std::array feed_forward_parameters = {
    StageRecord{
        .info = parameter(feed_forward_norm_gain, "γ", "Gain of the norm",
                          "The factor for each dimension after normalisation."),
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(feed_forward_norm_bias, "β", "Bias of the norm",
                          "The number added to each dimension after normalisation."),
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info = parameter(w_1, "W_1", "Weights of the hidden layer",
                          "The matrix that turns a token's row into d_ff hidden numbers."),
        .formula = origin_of_w_1,
    },
    StageRecord{
        .info = parameter(b_1, "b_1", "Bias of the hidden layer",
                          "Numbers added to the hidden numbers, whatever the token."),
        .formula = origin_of_b_1,
    },
    StageRecord{
        .info =
            parameter(w_up, "W_up", "Weights of the up layer",
                      "The matrix that turns a token's row into the d_ff numbers that the gate multiplies."),
        .formula = origin_of_w_1,
    },
    StageRecord{
        .info = parameter(b_up, "b_up", "Bias of the up layer",
                          "Numbers added to the ones that the gate multiplies, whatever the token."),
        .formula = origin_of_b_1,
    },
    StageRecord{
        .info = parameter(w_2, "W_2", "Weights of the feed-forward output",
                          "The matrix that turns the hidden numbers back into a row of d_model numbers."),
        .formula = origin_of_w_2,
    },
    StageRecord{
        .info = parameter(b_2, "b_2", "Bias of the feed-forward output",
                          "Numbers added to every row of the output, whatever the token."),
        .formula = origin_of_b_2,
    },
};

}  // namespace headscope::stages
