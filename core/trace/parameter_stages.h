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

constexpr StageInfo parameter(StageKind kind, std::string_view symbol, std::string_view title,
                              std::string_view meaning) {
  return {.kind = kind, .symbol = symbol, .title = title, .formula = symbol, .meaning = meaning};
}

/// The weights and biases of everything except attention and the feed-forward layer.
inline constexpr std::array parameter_stages = {
    StageRecord{
        .info = parameter(embedding_table, "E", "Embedding table",
                          "One row of numbers per id; a token's embedding is the row of its id."),
        .compute = rows_of_table,
        .sentence = embedding_table_sentence,
        .formula = origin_of_table,
    },
    StageRecord{
        .info = parameter(
            positions_table, "P", "Table of positions",
            "What the model has learned about positions: a row for each position, or a bias for each head and distance."),
        .sentence = positions_table_sentence,
        .formula = origin_of_table,
    },
    StageRecord{
        .info = parameter(stack_positions_table, "P", "Table of relative positions",
                          "What this stack has learned about positions: a bias for each head and distance."),
        .sentence = positions_table_sentence,
        .formula = origin_of_table,
    },
    StageRecord{
        .info = parameter(norm_gain, "γ", "Gain of the norm",
                          "The factor for each dimension after normalisation."),
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(norm_bias, "β", "Bias of the norm",
                          "The number added to each dimension after normalisation."),
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info = parameter(final_norm_gain, "γ", "Gain of the final norm",
                          "The factor for each dimension after normalisation."),
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(final_norm_bias, "β", "Bias of the final norm",
                          "The number added to each dimension after normalisation."),
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info = parameter(
            w_logits, "W_L", "Weights of the final linear layer",
            "One column of numbers per word; a row that resembles the column makes the word likely."),
        .formula = origin_of_w_logits,
    },
    StageRecord{
        .info = parameter(b_logits, "b_L", "Bias of the final linear layer",
                          "One number per word, added to its logit at every position."),
        .formula = origin_of_b_logits,
    },
};

}  // namespace headscope::stages
