#pragma once

#include <array>

#include "core/trace/parameter_stages.h"

namespace headscope::stages {

/// The weights and biases of the feed-forward layer and of the norm around it.
inline constexpr std::array feed_forward_parameters = {
    StageRecord{
        .info = parameter(feed_forward_norm_gain, StageScope::layer, "feed_forward.norm.gain", "γ",
                          "Gain of the norm", Axis::single, Axis::d_model,
                          "The factor for each dimension after normalisation."),
        .numbers = [](const PassPlace& at) { return view_of(at.layer_weights().feed_forward_norm.gain); },
        .absent = feed_forward_norms_are_absent,
        .derive = derive_parameter,
        .sentence = parameter_sentence,
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(feed_forward_norm_bias, StageScope::layer, "feed_forward.norm.bias", "β",
                          "Bias of the norm", Axis::single, Axis::d_model,
                          "The number added to each dimension after normalisation."),
        .numbers = [](const PassPlace& at) { return view_of(at.layer_weights().feed_forward_norm.bias); },
        .absent = feed_forward_norm_bias_is_absent,
        .derive = derive_parameter,
        .sentence = parameter_sentence,
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info = parameter(w_1, StageScope::layer, "feed_forward.W_1", "W_1", "Weights of the hidden layer",
                          Axis::d_model, Axis::d_ff,
                          "The matrix that turns a token's row into d_ff hidden numbers."),
        .weights = [](const PassPlace& at) { return all_columns(at.layer_weights().feed_forward.hidden); },
        .absent = feed_forward_is_absent,
        .derive = derive_parameter,
        .sentence = matrix_sentence,
        .formula = origin_of_w_1,
    },
    StageRecord{
        .info =
            parameter(b_1, StageScope::layer, "feed_forward.b_1", "b_1", "Bias of the hidden layer",
                      Axis::single, Axis::d_ff, "Numbers added to the hidden numbers, whatever the token."),
        .numbers = [](const PassPlace& at) { return view_of(at.layer_weights().feed_forward.hidden.bias); },
        .absent = feed_forward_bias_is_absent,
        .derive = derive_parameter,
        .sentence = parameter_sentence,
        .formula = origin_of_b_1,
    },
    StageRecord{
        .info =
            parameter(w_up, StageScope::layer, "feed_forward.W_up", "W_up", "Weights of the up layer",
                      Axis::d_model, Axis::d_ff,
                      "The matrix that turns a token's row into the d_ff numbers that the gate multiplies."),
        .weights = [](const PassPlace& at) { return all_columns(at.layer_weights().feed_forward.up); },
        .absent = feed_forward_gate_is_absent,
        .derive = derive_parameter,
        .sentence = matrix_sentence,
        .formula = origin_of_w_1,
    },
    StageRecord{
        .info = parameter(b_up, StageScope::layer, "feed_forward.b_up", "b_up", "Bias of the up layer",
                          Axis::single, Axis::d_ff,
                          "Numbers added to the ones that the gate multiplies, whatever the token."),
        .numbers = [](const PassPlace& at) { return view_of(at.layer_weights().feed_forward.up.bias); },
        .absent = gate_bias_is_absent,
        .derive = derive_parameter,
        .sentence = parameter_sentence,
        .formula = origin_of_b_1,
    },
    StageRecord{
        .info = parameter(w_2, StageScope::layer, "feed_forward.W_2", "W_2",
                          "Weights of the feed-forward output", Axis::d_ff, Axis::d_model,
                          "The matrix that turns the hidden numbers back into a row of d_model numbers."),
        .weights = [](const PassPlace& at) { return all_columns(at.layer_weights().feed_forward.output); },
        .absent = feed_forward_is_absent,
        .derive = derive_parameter,
        .sentence = matrix_sentence,
        .formula = origin_of_w_2,
    },
    StageRecord{
        .info = parameter(b_2, StageScope::layer, "feed_forward.b_2", "b_2",
                          "Bias of the feed-forward output", Axis::single, Axis::d_model,
                          "Numbers added to every row of the output, whatever the token."),
        .numbers = [](const PassPlace& at) { return view_of(at.layer_weights().feed_forward.output.bias); },
        .absent = feed_forward_bias_is_absent,
        .derive = derive_parameter,
        .sentence = parameter_sentence,
        .formula = origin_of_b_2,
    },
};

}  // namespace headscope::stages
