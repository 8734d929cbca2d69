#pragma once

#include <array>

#include "core/trace/parameter_stages.h"

namespace headscope::stages {

Absence output_norm_is_absent(const PassTraits& pass, const StageId& id);
Absence output_norm_bias_is_absent(const PassTraits& pass, const StageId& id);
Absence feed_forward_output_norm_is_absent(const PassTraits& pass, const StageId& id);
Absence feed_forward_output_norm_bias_is_absent(const PassTraits& pass, const StageId& id);
std::string output_norm_formula(const Trace& trace, const StageId& id);
void derive_output_norm(Derivation& d);
void derive_feed_forward_output_norm(Derivation& d);

/// The norm that is applied to a sublayer's output before it is added to the sublayer's input, and its
/// parameters.
inline constexpr std::array output_norm_stages = {
    StageRecord{
        .info = parameter(output_norm_gain, StageScope::attention, "output_norm.gain", "γ_Y",
                          "Gain of the output's norm", Axis::single, Axis::d_model,
                          "The factor for each dimension of attention's normalised output."),
        .numbers = [](const PassPlace& at) { return view_of(at.output_norm_weights().gain); },
        .absent = output_norm_is_absent,
        .derive = derive_parameter,
        .sentence = parameter_sentence,
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(output_norm_bias, StageScope::attention, "output_norm.bias", "β_Y",
                          "Bias of the output's norm", Axis::single, Axis::d_model,
                          "The number added to each dimension of attention's normalised output."),
        .numbers = [](const PassPlace& at) { return view_of(at.output_norm_weights().bias); },
        .absent = output_norm_bias_is_absent,
        .derive = derive_parameter,
        .sentence = parameter_sentence,
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info = {.kind = output_norm,
                 .scope = StageScope::attention,
                 .name = "output_norm",
                 .symbol = "Ŷ",
                 .title = "Normalised output",
                 .formula = "LayerNorm(Y)",
                 .rows = Axis::query_tokens,
                 .cols = Axis::d_model,
                 .section = PageSection::model_width,
                 .meaning =
                     "The result of attention, normalised to one scale before it is added to the input."},
        .numbers =
            [](const PassPlace& at) {
              return at.rows(at.around_attention().output_norm, at.architecture().d_model);
            },
        .inputs = [](const Trace& /*trace*/, const StageId& id) -> std::vector<StageId> {
          return {at_kind(id, projected), at_kind(id, output_norm_gain), at_kind(id, output_norm_bias)};
        },
        .absent = output_norm_is_absent,
        .derive = derive_output_norm,
        .sentence = row_sentence,
        .formula = output_norm_formula,
    },
    StageRecord{
        .info = parameter(feed_forward_output_norm_gain, StageScope::layer, "feed_forward.output_norm.gain",
                          "γ_Z", "Gain of the output's norm", Axis::single, Axis::d_model,
                          "The factor for each dimension of the feed-forward layer's normalised output."),
        .numbers =
            [](const PassPlace& at) { return view_of(at.layer_weights().feed_forward_output_norm.gain); },
        .absent = feed_forward_output_norm_is_absent,
        .derive = derive_parameter,
        .sentence = parameter_sentence,
        .formula = origin_of_gain,
    },
    StageRecord{
        .info =
            parameter(feed_forward_output_norm_bias, StageScope::layer, "feed_forward.output_norm.bias",
                      "β_Z", "Bias of the output's norm", Axis::single, Axis::d_model,
                      "The number added to each dimension of the feed-forward layer's normalised output."),
        .numbers =
            [](const PassPlace& at) { return view_of(at.layer_weights().feed_forward_output_norm.bias); },
        .absent = feed_forward_output_norm_bias_is_absent,
        .derive = derive_parameter,
        .sentence = parameter_sentence,
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info =
            {.kind = feed_forward_output_norm,
             .scope = StageScope::layer,
             .name = "feed_forward.output_norm",
             .symbol = "Ẑ",
             .title = "Normalised output of the feed-forward layer",
             .formula = "LayerNorm(Z)",
             .rows = Axis::query_tokens,
             .cols = Axis::d_model,
             .section = PageSection::feed_forward,
             .meaning =
                 "The feed-forward layer's output, normalised to one scale before it is added to the input."},
        .numbers =
            [](const PassPlace& at) {
              return at.rows(at.layer().around_feed_forward.output_norm, at.architecture().d_model);
            },
        .inputs = [](const Trace& /*trace*/, const StageId& id) -> std::vector<StageId> {
          return {at_kind(id, feed_forward_output), at_kind(id, feed_forward_output_norm_gain),
                  at_kind(id, feed_forward_output_norm_bias)};
        },
        .absent = feed_forward_output_norm_is_absent,
        .derive = derive_feed_forward_output_norm,
        .sentence = row_sentence,
        .formula = output_norm_formula,
    },
};

}  // namespace headscope::stages
