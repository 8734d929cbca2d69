#pragma once

#include <array>

#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

std::string embedding_formula(const Trace& trace, const StageId& id);
std::string positions_formula(const Trace& trace, const StageId& id);
std::string input_formula(const Trace& trace, const StageId& id);
void derive_embedding(Derivation& d);
void derive_positions(Derivation& d);
void derive_input(Derivation& d);

/// The inputs of the model and of each layer, and the normalised input of each attention.
inline constexpr std::array input_stages = {
    StageRecord{
        .info =
            {.kind = embedding,
             .symbol = "E",
             .title = "Token embedding",
             .formula = "E[t] = row of the token's word",
             .section = PageSection::model_input,
             .meaning =
                 "Each token's word as a row of numbers: the same word has the same row wherever it occurs."},
        .derive = derive_embedding,
        .formula = embedding_formula,
    },
    StageRecord{
        .info = {.kind = positions,
                 .symbol = "P",
                 .title = "Positions",
                 .formula = "sin(t / 10000^(2i/d_model)), cos(…)",
                 .section = PageSection::model_input,
                 .meaning =
                     "Waves of different lengths that tell the model where in the sentence a token is."},
        .derive = derive_positions,
        .formula = positions_formula,
    },
    StageRecord{
        .info = {.kind = input,
                 .symbol = "X",
                 .title = "Input",
                 .formula = "E + P",
                 .section = PageSection::model_input,
                 .meaning = "What enters the first layer: the sum of each token's word and position."},
        .derive = derive_input,
        .formula = input_formula,
    },
    StageRecord{
        .info = {.kind = layer_input,
                 .symbol = "x",
                 .title = "Layer input",
                 .formula = "x",
                 .repeats = true,
                 .landmark = "input",
                 .tab = "layer input",
                 .section = PageSection::layer_input,
                 .meaning = "The row of numbers per token that enters this layer."},
    },
    StageRecord{
        .info = {.kind = norm,
                 .symbol = "x̂",
                 .title = "Normalised input",
                 .formula = "LayerNorm(x)",
                 .section = PageSection::layer_input,
                 .meaning = "Each token's row, normalised to one scale before attention reads it."},
    },
};

}  // namespace headscope::stages
