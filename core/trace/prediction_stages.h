#pragma once

#include <array>

#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

std::string layer_output_formula(const Trace& trace, const StageId& id);
std::string stack_output_formula(const Trace& trace, const StageId& id);
std::string logits_formula(const Trace& trace, const StageId& id);
RowMaker logits_maker(const Trace& trace, const StageId& id);
RowMaker probabilities_maker(const Trace& trace, const StageId& id);
std::string logits_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string probabilities_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
void derive_logits(Derivation& d);
void derive_probabilities(Derivation& d);

/// The outputs of a layer, a stack and the model.
inline constexpr std::array prediction_stages = {
    StageRecord{
        .info = {.kind = layer_output,
                 .symbol = "x′",
                 .title = "Layer output",
                 .formula = "Y",
                 .repeats = true,
                 .tab = "layer output",
                 .meaning = "The row of numbers per token that leaves this layer."},
        .formula = layer_output_formula,
    },
    StageRecord{
        .info = {.kind = stack_output,
                 .symbol = "X′",
                 .title = "Stack output",
                 .formula = "x′ of the last layer",
                 .repeats = true,
                 .tab = "stack output",
                 .section = PageSection::model_output,
                 .meaning = "The row of numbers per token that leaves the last layer."},
        .formula = stack_output_formula,
        .follows_layers = true,
    },
    StageRecord{
        .info = {.kind = logits,
                 .symbol = "L",
                 .title = "Logits",
                 .formula = "X′ W_L + b_L",
                 .einsum = "td,dw->tw",
                 .meaning = "A score for every word of the vocabulary, at every position."},
        .compute = logits_maker,
        .derive = derive_logits,
        .sentence = logits_sentence,
        .formula = logits_formula,
    },
    StageRecord{
        .info = {.kind = probabilities,
                 .symbol = "p",
                 .title = "Probabilities",
                 .formula = "softmax over words (L)",
                 .is_signed = false,
                 .meaning = "The probability of each word of the vocabulary at every position."},
        .compute = probabilities_maker,
        .derive = derive_probabilities,
        .sentence = probabilities_sentence,
    },
};

}  // namespace headscope::stages
