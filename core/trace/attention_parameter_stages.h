#pragma once

#include "core/trace/output_stages.h"
#include "core/trace/parameter_stages.h"

namespace headscope::stages {

/// The parameter of a head, or of a group of heads that share keys and values.
constexpr StageInfo of_group(StageKind kind, std::string_view name, std::string_view symbol,
                             std::string_view title, Axis rows, Axis cols, std::string_view meaning) {
  StageInfo line = parameter(kind, StageScope::head, name, symbol, title, rows, cols, meaning);
  line.of_group = true;
  return line;
}

/// Texts about the origin of the sinks and of the gate's weights.
std::string origin_of_sink(const Trace& trace, const StageId& id);
std::string origin_of_w_gate(const Trace& trace, const StageId& id);

/// The weights and biases of attention.
inline constexpr std::array attention_parameter_stages = {
    StageRecord{
        .info = parameter(
            w_output, StageScope::attention, "W_O", "W_O", "Output weights", Axis::concat, Axis::d_model,
            "The matrix that mixes the outputs of all heads back into rows of d_model numbers."),
        .weights = [](const PassPlace& at) { return all_columns(at.attention_weights().out); },
        .formula = origin_of_w_output,
    },
    StageRecord{
        .info = parameter(b_output, StageScope::attention, "b_O", "b_O", "Output bias", Axis::single,
                          Axis::d_model, "Numbers added to every projected row, whatever the token."),
        .numbers = [](const PassPlace& at) { return view_of(at.attention_weights().out.bias); },
        .formula = origin_of_b_output,
    },
    StageRecord{
        .info =
            parameter(w_query, StageScope::head, "W_Q", "W_Q", "Query weights", Axis::d_model, Axis::d_head,
                      "The matrix that turns a token's row into its query: what this head looks for."),
        .weights =
            [](const PassPlace& at) {
              return at.head_columns(at.attention_weights().query, at.architecture().head_width());
            },
        .formula = origin_of_w_query,
    },
    StageRecord{
        .info = parameter(b_query, StageScope::head, "b_Q", "b_Q", "Query bias", Axis::single, Axis::d_head,
                          "Numbers added to every query of this head, whatever the token."),
        .numbers =
            [](const PassPlace& at) {
              return at.head_columns(at.attention_weights().query.bias, at.architecture().head_width());
            },
        .formula = origin_of_projection_bias,
    },
    StageRecord{
        .info = of_group(w_key, "W_K", "W_K", "Key weights", Axis::kv_input, Axis::own_key,
                         "The matrix that turns a token's row into its key: what this head can find it by."),
        .weights =
            [](const PassPlace& at) {
              return at.group_columns(at.attention_weights().key,
                                      at.architecture().own_key_width(at.id.attention));
            },
        .formula = origin_of_w_key,
    },
    StageRecord{
        .info = of_group(b_key, "b_K", "b_K", "Key bias", Axis::single, Axis::own_key,
                         "Numbers added to every key of this head, whatever the token."),
        .numbers =
            [](const PassPlace& at) {
              return at.group_columns(at.attention_weights().key.bias,
                                      at.architecture().own_key_width(at.id.attention));
            },
        .formula = origin_of_projection_bias,
    },
    StageRecord{
        .info = of_group(
            w_value, "W_V", "W_V", "Value weights", Axis::kv_input, Axis::d_value,
            "The matrix that turns a token's row into its value: what it passes on when attended to."),
        .weights =
            [](const PassPlace& at) {
              return at.group_columns(at.attention_weights().value, at.architecture().value_width());
            },
        .formula = origin_of_w_value,
    },
    StageRecord{
        .info = of_group(b_value, "b_V", "b_V", "Value bias", Axis::single, Axis::d_value,
                         "Numbers added to every value of this head, whatever the token."),
        .numbers =
            [](const PassPlace& at) {
              return at.group_columns(at.attention_weights().value.bias, at.architecture().value_width());
            },
        .formula = origin_of_projection_bias,
    },
    StageRecord{
        .info = parameter(
            sink, StageScope::head, "sink", "s", "Sink", Axis::single, Axis::single,
            "A score that belongs to no key: it takes a share of every query's attention and adds no value, so that a head can attend to nothing."),
        .numbers = [](const PassPlace& at) { return at.head_columns(at.attention_weights().sinks, 1); },
        .formula = origin_of_sink,
    },
    StageRecord{
        .info = parameter(query_norm_gain, StageScope::attention, "query_norm.gain", "γ_Q",
                          "Gain of the query norm", Axis::single, Axis::d_head,
                          "The factor for each dimension of a normalised query, the same in all heads."),
        .numbers = [](const PassPlace& at) { return view_of(at.attention_weights().query_gain); },
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(key_norm_gain, StageScope::attention, "key_norm.gain", "γ_K",
                          "Gain of the key norm", Axis::single, Axis::d_head,
                          "The factor for each dimension of a normalised key, the same in all heads."),
        .numbers = [](const PassPlace& at) { return view_of(at.attention_weights().key_gain); },
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(
            w_gate, StageScope::attention, "W_G", "W_G", "Gate weights", Axis::d_model, Axis::concat,
            "The matrix that decides from a token's row how much of each head's output passes through."),
        .weights = [](const PassPlace& at) { return all_columns(at.attention_weights().gate); },
        .formula = origin_of_w_gate,
    },
};

}  // namespace headscope::stages
