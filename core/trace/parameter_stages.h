#pragma once

#include <array>

#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

// Texts about the origin of each parameter: "drawn from N(0, 1), seed 0", "read from the model's file".
std::string origin_of_table(const Trace& trace, const StageId& id);
std::string origin_of_gain(const Trace& trace, const StageId& id);
std::string origin_of_norm_bias(const Trace& trace, const StageId& id);
std::string origin_of_w_query(const Trace& trace, const StageId& id);
std::string origin_of_w_key(const Trace& trace, const StageId& id);
std::string origin_of_w_value(const Trace& trace, const StageId& id);
std::string origin_of_projection_bias(const Trace& trace, const StageId& id);
std::string origin_of_w_output(const Trace& trace, const StageId& id);
std::string origin_of_b_output(const Trace& trace, const StageId& id);
std::string origin_of_w_1(const Trace& trace, const StageId& id);
std::string origin_of_b_1(const Trace& trace, const StageId& id);
std::string origin_of_w_2(const Trace& trace, const StageId& id);
std::string origin_of_b_2(const Trace& trace, const StageId& id);
std::string origin_of_w_logits(const Trace& trace, const StageId& id);
std::string origin_of_b_logits(const Trace& trace, const StageId& id);

/// A sentence such as "W_Q of head 0, from input dimension 2 to dimension 3, is 0.1", or the same without
/// rows for a bias.
std::string parameter_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
RowMaker rows_of_table(const Trace& trace, const StageId& id);
std::string embedding_table_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string positions_table_sentence(const Trace& trace, const StageId& id, const CellValue& cell);

constexpr StageInfo parameter(StageKind kind, StageScope scope, std::string_view name,
                              std::string_view symbol, std::string_view title, Axis rows, Axis cols,
                              std::string_view meaning) {
  return {.kind = kind,
          .scope = scope,
          .name = name,
          .symbol = symbol,
          .title = title,
          .formula = symbol,
          .rows = rows,
          .cols = cols,
          .is_parameter = true,
          .meaning = meaning};
}

/// The weights and biases of everything except attention and the feed-forward layer.
inline constexpr std::array parameter_stages = {
    StageRecord{
        .info = parameter(embedding_table, StageScope::model, "embedding.table", "E", "Embedding table",
                          Axis::table_rows, Axis::embedding,
                          "One row of numbers per id; a token's embedding is the row of its id."),
        .compute = rows_of_table,
        .sentence = embedding_table_sentence,
        .formula = origin_of_table,
    },
    StageRecord{
        .info = parameter(
            positions_table, StageScope::model, "positions.table", "P", "Table of positions",
            Axis::position_rows, Axis::position_cols,
            "What the model has learned about positions: a row for each position, or a bias for each head and distance."),
        .numbers = [](const PassPlace& at) { return view_of(at.model.positions_table); },
        .sentence = positions_table_sentence,
        .formula = origin_of_table,
    },
    StageRecord{
        .info = parameter(stack_positions_table, StageScope::stack, "positions.biases", "P",
                          "Table of relative positions", Axis::position_rows, Axis::position_cols,
                          "What this stack has learned about positions: a bias for each head and distance."),
        .numbers = [](const PassPlace& at) { return view_of(at.stack_weights().position_biases); },
        .sentence = positions_table_sentence,
        .formula = origin_of_table,
    },
    StageRecord{
        .info = parameter(norm_gain, StageScope::attention, "norm.gain", "γ", "Gain of the norm",
                          Axis::single, Axis::d_model, "The factor for each dimension after normalisation."),
        .numbers = [](const PassPlace& at) { return view_of(at.norm_weights().gain); },
        .formula = origin_of_gain,
    },
    StageRecord{
        .info =
            parameter(norm_bias, StageScope::attention, "norm.bias", "β", "Bias of the norm", Axis::single,
                      Axis::d_model, "The number added to each dimension after normalisation."),
        .numbers = [](const PassPlace& at) { return view_of(at.norm_weights().bias); },
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info = parameter(final_norm_gain, StageScope::stack, "norm.gain", "γ", "Gain of the final norm",
                          Axis::single, Axis::d_model, "The factor for each dimension after normalisation."),
        .numbers = [](const PassPlace& at) { return view_of(at.stack_weights().norm.gain); },
        .formula = origin_of_gain,
    },
    StageRecord{
        .info =
            parameter(final_norm_bias, StageScope::stack, "norm.bias", "β", "Bias of the final norm",
                      Axis::single, Axis::d_model, "The number added to each dimension after normalisation."),
        .numbers = [](const PassPlace& at) { return view_of(at.stack_weights().norm.bias); },
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info = parameter(
            w_logits, StageScope::model, "logits.W", "W_L", "Weights of the final linear layer",
            Axis::output_row, Axis::vocabulary,
            "One column of numbers per word; a row that resembles the column makes the word likely."),
        .weights = [](const PassPlace& at) { return all_columns(*at.unembedding->linear); },
        .formula = origin_of_w_logits,
    },
    StageRecord{
        .info = parameter(b_logits, StageScope::model, "logits.b", "b_L", "Bias of the final linear layer",
                          Axis::single, Axis::vocabulary,
                          "One number per word, added to its logit at every position."),
        .numbers = [](const PassPlace& at) { return view_of(at.unembedding->linear->bias); },
        .formula = origin_of_b_logits,
    },
};

}  // namespace headscope::stages
