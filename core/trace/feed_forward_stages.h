#pragma once

#include <array>

#include "core/trace/parameter_stages.h"
#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"
#include "core/trace/wiring.h"

namespace headscope::stages {

using enum StageKind;

std::string hidden_formula(const Trace& trace, const StageId& id);
std::string up_formula(const Trace& trace, const StageId& id);
/// The formula with the usual name of the gate: "F′ ⊙ U (SwiGLU)".
std::string gated_formula(const Trace& trace, const StageId& id);
std::string feed_forward_output_formula(const Trace& trace, const StageId& id);
std::string feed_forward_normed_formula(const Trace& trace, const StageId& id);
void derive_feed_forward_norm(Derivation& d);
void derive_hidden(Derivation& d);
void derive_activated(Derivation& d);
void derive_up(Derivation& d);
void derive_gated(Derivation& d);
void derive_feed_forward_output(Derivation& d);

/// The stages of the feed-forward layer and those around it.
inline constexpr std::array feed_forward_stages = {
    StageRecord{
        .info = {.kind = feed_forward_norm,
                 .scope = StageScope::layer,
                 .name = "feed_forward.norm",
                 .symbol = "x̂",
                 .title = "Normalised input of the feed-forward layer",
                 .formula = "LayerNorm(x)",
                 .rows = Axis::query_tokens,
                 .cols = Axis::d_model,
                 .section = PageSection::feed_forward,
                 .meaning =
                     "Each token's row, normalised to one scale before the feed-forward layer reads it."},
        .numbers =
            [](const PassPlace& at) {
              return at.rows(at.layer().around_feed_forward.norm, at.architecture().d_model);
            },
        .inputs = [](const Trace& trace, const StageId& id) -> std::vector<StageId> {
          return {feed_forward_norm_input(trace, id), at_kind(id, feed_forward_norm_gain),
                  at_kind(id, feed_forward_norm_bias)};
        },
        .absent =
            [](const PassTraits& pass, const StageId&) {
              const Architecture& a = pass.architecture;
              if (!a.norms_inputs() || a.d_ff == 0) return Absence::no_norm_before_feed_forward;
              return unless(a.feed_forward_has_norm(), Absence::shared_norm);
            },
        .derive = derive_feed_forward_norm,
        .sentence = row_sentence,
        .formula = norm_before_formula,
    },
    StageRecord{
        .info = {.kind = hidden,
                 .scope = StageScope::layer,
                 .name = "feed_forward.hidden",
                 .symbol = "F",
                 .title = "Feed-forward, hidden",
                 .formula = "x W_1 + b_1",
                 .einsum = "td,df->tf",
                 .rows = Axis::query_tokens,
                 .cols = Axis::d_ff,
                 .section = PageSection::feed_forward,
                 .meaning = "What the feed-forward layer finds in each token on its own."},
        .numbers =
            [](const PassPlace& at) {
              return at.rows(at.layer().feed_forward.hidden, at.architecture().d_ff);
            },
        .inputs = [](const Trace& trace, const StageId& id) -> std::vector<StageId> {
          return {hidden_from(trace, id), at_kind(id, w_1), at_kind(id, b_1)};
        },
        .absent = feed_forward_is_absent,
        .derive = derive_hidden,
        .sentence = row_sentence,
        .formula = hidden_formula,
    },
    StageRecord{
        .info = {.kind = activated,
                 .scope = StageScope::layer,
                 .name = "feed_forward.activated",
                 .symbol = "F′",
                 .title = "Feed-forward, activated",
                 .formula = "ReLU(F)",
                 .rows = Axis::query_tokens,
                 .cols = Axis::d_ff,
                 .section = PageSection::feed_forward,
                 .meaning = "The hidden numbers after the activation, which lets only some of them through."},
        .numbers =
            [](const PassPlace& at) {
              return at.rows(at.layer().feed_forward.activated, at.architecture().d_ff);
            },
        .inputs = [](const Trace&, const StageId& id) -> std::vector<StageId> {
          return {at_kind(id, hidden)};
        },
        .absent = feed_forward_is_absent,
        .derive = derive_activated,
        .sentence = row_sentence,
        .formula = activation_formula,
    },
    StageRecord{
        .info = {.kind = up,
                 .scope = StageScope::layer,
                 .name = "feed_forward.up",
                 .symbol = "U",
                 .title = "Feed-forward, up",
                 .formula = "x W_up + b_up",
                 .einsum = "td,df->tf",
                 .rows = Axis::query_tokens,
                 .cols = Axis::d_ff,
                 .section = PageSection::feed_forward,
                 .meaning =
                     "A second set of hidden numbers, without an activation, which the gate multiplies."},
        .numbers =
            [](const PassPlace& at) { return at.rows(at.layer().feed_forward.up, at.architecture().d_ff); },
        .inputs = [](const Trace& trace, const StageId& id) -> std::vector<StageId> {
          return {hidden_from(trace, id), at_kind(id, w_up), at_kind(id, b_up)};
        },
        .absent = feed_forward_gate_is_absent,
        .derive = derive_up,
        .sentence = row_sentence,
        .formula = up_formula,
    },
    StageRecord{
        .info = {.kind = feed_forward_gated,
                 .scope = StageScope::layer,
                 .name = "feed_forward.gated",
                 .symbol = "G",
                 .title = "Feed-forward, gated",
                 .formula = "F′ ⊙ U",
                 .rows = Axis::query_tokens,
                 .cols = Axis::d_ff,
                 .section = PageSection::feed_forward,
                 .meaning =
                     "Each number of U times its gate, which is the activated number in the same place."},
        .numbers =
            [](const PassPlace& at) {
              return at.rows(at.layer().feed_forward.gated, at.architecture().d_ff);
            },
        .inputs = [](const Trace&, const StageId& id) -> std::vector<StageId> {
          return {at_kind(id, activated), at_kind(id, up)};
        },
        .absent = feed_forward_gate_is_absent,
        .derive = derive_gated,
        .sentence = row_sentence,
        .formula = gated_formula,
    },
    StageRecord{
        .info = {.kind = feed_forward_output,
                 .scope = StageScope::layer,
                 .name = "feed_forward.output",
                 .symbol = "Z",
                 .title = "Feed-forward output",
                 .formula = "F′ W_2 + b_2",
                 .einsum = "tf,fd->td",
                 .rows = Axis::query_tokens,
                 .cols = Axis::d_model,
                 .section = PageSection::feed_forward,
                 .meaning = "The output of the feed-forward layer for each token."},
        .numbers =
            [](const PassPlace& at) {
              return at.rows(at.layer().feed_forward.output, at.architecture().d_model);
            },
        .inputs = [](const Trace& trace, const StageId& id) -> std::vector<StageId> {
          return {last_there(trace, id, {activated, feed_forward_gated}), at_kind(id, w_2), at_kind(id, b_2)};
        },
        .absent = feed_forward_is_absent,
        .derive = derive_feed_forward_output,
        .sentence = row_sentence,
        .formula = feed_forward_output_formula,
    },
    StageRecord{
        .info = {.kind = feed_forward_residual,
                 .scope = StageScope::layer,
                 .name = "feed_forward.residual",
                 .symbol = "x + Z",
                 .title = "Residual sum of the feed-forward layer",
                 .formula = "x + Z",
                 .rows = Axis::query_tokens,
                 .cols = Axis::d_model,
                 .section = PageSection::feed_forward,
                 .meaning = "The input of the feed-forward layer plus its output."},
        .numbers =
            [](const PassPlace& at) {
              return at.rows(at.layer().around_feed_forward.residual, at.architecture().d_model);
            },
        .inputs = [](const Trace& trace, const StageId& id) -> std::vector<StageId> {
          return {feed_forward_input(trace, id),
                  last_there(trace, id, {feed_forward_output, feed_forward_output_norm})};
        },
        .absent =
            [](const PassTraits& pass, const StageId&) {
              return unless(pass.architecture.residual && pass.architecture.d_ff > 0,
                            Absence::no_feed_forward_residual);
            },
        .derive = derive_residual,
        .sentence = row_sentence,
        .formula = residual_formula,
    },
    StageRecord{
        .info = {.kind = feed_forward_normed,
                 .scope = StageScope::layer,
                 .name = "feed_forward.normed",
                 .symbol = "x̂",
                 .title = "Normalised sum of the feed-forward layer",
                 .formula = "LayerNorm(x + Z)",
                 .rows = Axis::query_tokens,
                 .cols = Axis::d_model,
                 .section = PageSection::feed_forward,
                 .meaning = "The residual sum with every row normalised to one scale."},
        .numbers =
            [](const PassPlace& at) {
              return at.rows(at.layer().around_feed_forward.normed, at.architecture().d_model);
            },
        .inputs = [](const Trace& trace, const StageId& id) -> std::vector<StageId> {
          return {last_there(trace, id, {feed_forward_output, feed_forward_residual}),
                  at_kind(id, feed_forward_norm_gain), at_kind(id, feed_forward_norm_bias)};
        },
        .absent =
            [](const PassTraits& pass, const StageId&) {
              return unless(pass.architecture.norm == Norm::post && pass.architecture.d_ff > 0,
                            Absence::no_norm_after_feed_forward);
            },
        .derive = derive_feed_forward_norm,
        .sentence = row_sentence,
        .formula = feed_forward_normed_formula,
    },
};

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
