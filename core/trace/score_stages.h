#pragma once

#include <array>

#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

std::string raw_formula(const Trace& trace, const StageId& id);
std::string scaled_formula(const Trace& trace, const StageId& id);
std::string capped_formula(const Trace& trace, const StageId& id);
std::string position_bias_formula(const Trace& trace, const StageId& id);
std::string masked_formula(const Trace& trace, const StageId& id);
std::string raw_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string scaled_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string capped_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string position_bias_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string masked_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
void derive_raw(Derivation& d);
void derive_scaled(Derivation& d);
void derive_capped(Derivation& d);
void derive_position_bias(Derivation& d);
void derive_masked(Derivation& d);
/// The magnitude at and above which a score is due to the mask, which puts it far beyond all others.
float masked_below(const Trace& trace, const StageId& id);
/// The numbers that positions add to the scores. They are the same along each diagonal.
RowMaker position_biases(const Trace& trace, const StageId& id);

/// The scores of queries and keys, up to the softmax.
inline constexpr std::array score_stages = {
    StageRecord{
        .info = {.kind = raw,
                 .symbol = "S",
                 .title = "Raw scores",
                 .formula = "Q Kᵀ",
                 .einsum = "thk,shk->hts",
                 .batch_einsum = "ibhd,jbhd->ijbh",
                 .landmark = "scores",
                 .tab = "scores",
                 .section = PageSection::scores,
                 .meaning =
                     "How well each query matches each key: the sum of the products of their numbers."},
        .derive = derive_raw,
        .sentence = raw_sentence,
        .formula = raw_formula,
    },
    StageRecord{
        .info =
            {.kind = scaled,
             .symbol = "S′",
             .title = "Scaled scores",
             .formula = "S / √d_k",
             .landmark = "scaled",
             .section = PageSection::scores,
             .meaning =
                 "The raw scores divided by √d_k (if scaling is on, and unless the model has a scale of its own), so that longer vectors do not sharpen softmax."},
        .derive = derive_scaled,
        .sentence = scaled_sentence,
        .formula = scaled_formula,
    },
    StageRecord{
        .info =
            {.kind = capped,
             .symbol = "S″",
             .title = "Capped scores",
             .formula = "c · tanh(S′ / c)",
             .section = PageSection::scores,
             .meaning =
                 "The scaled scores, squashed so that none exceeds ±c: softmax never becomes all or nothing."},
        .derive = derive_capped,
        .sentence = capped_sentence,
        .formula = capped_formula,
    },
    StageRecord{
        .info = {.kind = position_bias,
                 .symbol = "B",
                 .title = "Position bias",
                 .formula = "b(key − query)",
                 .section = PageSection::scores,
                 .meaning = "What the distance between query and key adds to the score, whatever the words."},
        .compute = position_biases,
        .derive = derive_position_bias,
        .sentence = position_bias_sentence,
        .formula = position_bias_formula,
    },
    StageRecord{
        .info = {.kind = masked,
                 .symbol = "M",
                 .title = "Masked scores",
                 .formula = "S′ where visible, the mask value elsewhere",
                 .landmark = "masked",
                 .section = PageSection::scores,
                 .meaning =
                     "The scores with hidden cells replaced by the mask value, so that they get no weight."},
        .derive = derive_masked,
        .sentence = masked_sentence,
        .formula = masked_formula,
        .counted_below = masked_below,
    },
};

}  // namespace headscope::stages
