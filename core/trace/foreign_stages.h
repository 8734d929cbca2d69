#pragma once

#include <array>

#include "core/trace/parameter_stages.h"
#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

std::string segments_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string origin_of_foreign(const Trace& trace, const StageId& id);
void derive_segments(Derivation& d);
void derive_embedding_sum(Derivation& d);

/// Stages and parameters that only models from elsewhere have (ForeignParts): what is added to the
/// embeddings, how their sum is processed, and what lies between the last stack and the final linear layer.
inline constexpr std::array foreign_stages = {
    StageRecord{
        .info = parameter(segments_table, "S", "Table of segments",
                          "One row of numbers per segment, which is added to the embeddings of its tokens."),
        .sentence = segments_sentence,
        .formula = origin_of_foreign,
    },
    StageRecord{
        .info = parameter(embedding_norm_gain, "γ_E", "Gain of the embeddings' norm",
                          "The factor for each dimension after normalisation."),
        .formula = origin_of_foreign,
    },
    StageRecord{
        .info = parameter(embedding_norm_bias, "β_E", "Bias of the embeddings' norm",
                          "The number added to each dimension after normalisation."),
        .formula = origin_of_foreign,
    },
    StageRecord{
        .info = parameter(w_embedding, "W_E", "Weights of the embeddings' projection",
                          "The matrix that turns a narrower embedding into a row of d_model numbers."),
        .formula = origin_of_foreign,
    },
    StageRecord{
        .info = parameter(b_embedding, "b_E", "Bias of the embeddings' projection",
                          "Numbers added to every projected embedding."),
        .formula = origin_of_foreign,
    },
    StageRecord{
        .info = {.kind = segments,
                 .symbol = "S",
                 .title = "Segments",
                 .formula = "row of the token's segment",
                 .section = PageSection::model_input,
                 .meaning = "Tells the model which of its texts a token belongs to."},
        .derive = derive_segments,
    },
    StageRecord{
        .info =
            {.kind = embedding_sum,
             .symbol = "X₀",
             .title = "Sum of the embeddings",
             .formula = "E + P + S",
             .tab = "sum of embeddings",
             .section = PageSection::model_input,
             .meaning =
                 "Each token's embedding with all that is added to it, before it is prepared for the first layer."},
        .derive = derive_embedding_sum,
    },
    StageRecord{
        .info = {.kind = embedding_sum_normed,
                 .symbol = "X̂₀",
                 .title = "Normalised sum of the embeddings",
                 .formula = "LayerNorm(X₀)",
                 .tab = "normalised sum",
                 .section = PageSection::model_input,
                 .meaning = "The sum of each token's embeddings, normalised to one scale."},
    },
    StageRecord{
        .info =
            parameter(w_transform, "W_T", "Weights before the final linear layer",
                      "The matrix that prepares the output of the last layer for comparison with the words."),
        .formula = origin_of_foreign,
    },
    StageRecord{
        .info = parameter(b_transform, "b_T", "Bias before the final linear layer",
                          "Numbers added before the activation."),
        .formula = origin_of_foreign,
    },
    StageRecord{
        .info = parameter(transform_norm_gain, "γ_T", "Gain of the norm before the final linear layer",
                          "The factor for each dimension after normalisation."),
        .formula = origin_of_foreign,
    },
    StageRecord{
        .info = parameter(transform_norm_bias, "β_T", "Bias of the norm before the final linear layer",
                          "The number added to each dimension after normalisation."),
        .formula = origin_of_foreign,
    },
    StageRecord{
        .info = {.kind = transform_hidden,
                 .symbol = "F",
                 .title = "Transformed output",
                 .formula = "X′ W_T + b_T",
                 .einsum = "td,de->te",
                 .tab = "transformed",
                 .section = PageSection::model_output,
                 .meaning = "The output of the last layer, prepared for comparison with the words."},
    },
    StageRecord{
        .info = {.kind = transform_activated,
                 .symbol = "F′",
                 .title = "Transformed output, activated",
                 .formula = "GELU(F)",
                 .tab = "activated",
                 .section = PageSection::model_output,
                 .meaning = "The transformed output after the activation."},
    },
    StageRecord{
        .info = {.kind = transform_output,
                 .symbol = "X_T",
                 .title = "Transformed output, normalised",
                 .formula = "LayerNorm(F′)",
                 .tab = "compared with words",
                 .section = PageSection::model_output,
                 .meaning = "The row of each token that is compared with the words."},
    },
};

}  // namespace headscope::stages
