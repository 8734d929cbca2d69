#pragma once

#include "core/trace/output_stages.h"
#include "core/trace/parameter_stages.h"

namespace headscope::stages {

/// Texts about the origin of the sinks and of the gate's weights.
std::string origin_of_sink(const Trace& trace, const StageId& id);
std::string origin_of_w_gate(const Trace& trace, const StageId& id);

/// The weights and biases of attention.
inline constexpr std::array attention_parameter_stages = {
    StageRecord{
        .info =
            parameter(w_output, "W_O", "Output weights",
                      "The matrix that mixes the outputs of all heads back into rows of d_model numbers."),
        .formula = origin_of_w_output,
    },
    StageRecord{
        .info = parameter(b_output, "b_O", "Output bias",
                          "Numbers added to every projected row, whatever the token."),
        .formula = origin_of_b_output,
    },
    StageRecord{
        .info = parameter(w_query, "W_Q", "Query weights",
                          "The matrix that turns a token's row into its query: what this head looks for."),
        .formula = origin_of_w_query,
    },
    StageRecord{
        .info = parameter(b_query, "b_Q", "Query bias",
                          "Numbers added to every query of this head, whatever the token."),
        .formula = origin_of_projection_bias,
    },
    StageRecord{
        .info = parameter(w_key, "W_K", "Key weights",
                          "The matrix that turns a token's row into its key: what this head can find it by."),
        .formula = origin_of_w_key,
    },
    StageRecord{
        .info = parameter(b_key, "b_K", "Key bias",
                          "Numbers added to every key of this head, whatever the token."),
        .formula = origin_of_projection_bias,
    },
    StageRecord{
        .info = parameter(
            w_value, "W_V", "Value weights",
            "The matrix that turns a token's row into its value: what it passes on when attended to."),
        .formula = origin_of_w_value,
    },
    StageRecord{
        .info = parameter(b_value, "b_V", "Value bias",
                          "Numbers added to every value of this head, whatever the token."),
        .formula = origin_of_projection_bias,
    },
    StageRecord{
        .info = parameter(
            sink, "s", "Sink",
            "A score that belongs to no key: it takes a share of every query's attention and adds no value, so that a head can attend to nothing."),
        .formula = origin_of_sink,
    },
    StageRecord{
        .info = parameter(query_norm_gain, "γ_Q", "Gain of the query norm",
                          "The factor for each dimension of a normalised query, the same in all heads."),
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(key_norm_gain, "γ_K", "Gain of the key norm",
                          "The factor for each dimension of a normalised key, the same in all heads."),
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(
            w_gate, "W_G", "Gate weights",
            "The matrix that decides from a token's row how much of each head's output passes through."),
        .formula = origin_of_w_gate,
    },
};

}  // namespace headscope::stages
