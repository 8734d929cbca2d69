#pragma once

#include <array>

#include "core/trace/parameter_stages.h"
#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

std::string output_formula(const Trace& trace, const StageId& id);
std::string contribution_formula(const Trace& trace, const StageId& id);
std::string concat_formula(const Trace& trace, const StageId& id);
std::string projected_formula(const Trace& trace, const StageId& id);
std::string contribution_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string concat_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
void derive_output(Derivation& d);
void derive_contribution(Derivation& d);
void derive_concat(Derivation& d);
void derive_head_gate(Derivation& d);
void derive_projected(Derivation& d);
/// The output of a head multiplied by its rows of W_O.
RowMaker contributions(const Trace& trace, const StageId& id);

/// The stages that lead from the heads' outputs back to the width of the model.
inline constexpr std::array output_stages = {
    StageRecord{
        .info = {.kind = output,
                 .symbol = "O",
                 .title = "Head output",
                 .formula = "A V",
                 .einsum = "hts,shv->thv",
                 .batch_einsum = "ijbh,jbhd->ibhd",
                 .landmark = "output",
                 .section = PageSection::weights,
                 .meaning = "The values of all tokens, averaged with each query's attention weights."},
        .derive = derive_output,
        .formula = output_formula,
    },
    StageRecord{
        .info =
            {.kind = contribution,
             .symbol = "O W_O",
             .title = "Head contribution",
             .formula = "O W_O[h]",
             .einsum = "thv,hvd->thd",
             .section = PageSection::model_width,
             .meaning =
                 "What this head alone adds to each token's projected row; the contributions of all heads and the bias add up to that row."},
        .compute = contributions,
        .derive = derive_contribution,
        .sentence = contribution_sentence,
        .formula = contribution_formula,
    },
    StageRecord{
        .info = {.kind = concat,
                 .symbol = "C",
                 .title = "Concatenated heads",
                 .formula = "[O₀ … O of the last head]",
                 .section = PageSection::model_width,
                 .meaning = "The outputs of all heads, side by side in one row per token."},
        .derive = derive_concat,
        .sentence = concat_sentence,
        .formula = concat_formula,
    },
    StageRecord{
        .info =
            {.kind = head_gate,
             .symbol = "G",
             .title = "Gate",
             .formula = "σ(x W_G)",
             .is_signed = false,
             .section = PageSection::model_width,
             .meaning =
                 "How much of each number of the heads' outputs passes through, from 0 to 1, as decided by the token's own row."},
        .derive = derive_head_gate,
        .sentence = concat_sentence,
    },
    StageRecord{
        .info = {.kind = gated_heads,
                 .symbol = "C′",
                 .title = "Gated heads",
                 .formula = "C · G, number by number",
                 .section = PageSection::model_width,
                 .meaning = "The outputs of all heads, each number times its gate."},
        .sentence = concat_sentence,
    },
    StageRecord{
        .info = {.kind = projected,
                 .symbol = "Y",
                 .title = "Projected output",
                 .formula = "C W_O + b_O",
                 .einsum = "thv,hvd->td",
                 .section = PageSection::model_width,
                 .meaning = "The result of attention as a whole for each token: all heads mixed by W_O."},
        .derive = derive_projected,
        .formula = projected_formula,
    },
    StageRecord{
        .info = {.kind = residual,
                 .symbol = "x + Y",
                 .title = "Residual sum",
                 .formula = "x + Y",
                 .section = PageSection::model_width,
                 .meaning = "The input of attention plus its output, so the input is never lost."},
    },
    StageRecord{
        .info = {.kind = normed,
                 .symbol = "x̂",
                 .title = "Normalised sum",
                 .formula = "LayerNorm(x + Y)",
                 .section = PageSection::model_width,
                 .meaning = "The residual sum with every row normalised to one scale."},
    },
};

/// The norm that is applied to a sublayer's output before it is added to the sublayer's input, and its
/// parameters.
inline constexpr std::array output_norm_stages = {
    StageRecord{
        .info = parameter(output_norm_gain, "γ_Y", "Gain of the output's norm",
                          "The factor for each dimension of attention's normalised output."),
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(output_norm_bias, "β_Y", "Bias of the output's norm",
                          "The number added to each dimension of attention's normalised output."),
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info = {.kind = output_norm,
                 .symbol = "Ŷ",
                 .title = "Normalised output",
                 .formula = "LayerNorm(Y)",
                 .section = PageSection::model_width,
                 .meaning =
                     "The result of attention, normalised to one scale before it is added to the input."},
    },
    StageRecord{
        .info = parameter(feed_forward_output_norm_gain, "γ_Z", "Gain of the output's norm",
                          "The factor for each dimension of the feed-forward layer's normalised output."),
        .formula = origin_of_gain,
    },
    StageRecord{
        .info =
            parameter(feed_forward_output_norm_bias, "β_Z", "Bias of the output's norm",
                      "The number added to each dimension of the feed-forward layer's normalised output."),
        .formula = origin_of_norm_bias,
    },
    StageRecord{
        .info =
            {.kind = feed_forward_output_norm,
             .symbol = "Ẑ",
             .title = "Normalised output of the feed-forward layer",
             .formula = "LayerNorm(Z)",
             .section = PageSection::feed_forward,
             .meaning =
                 "The feed-forward layer's output, normalised to one scale before it is added to the input."},
    },
};

}  // namespace headscope::stages
