#pragma once

#include <array>

#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

std::string mapped_formula(const Trace& trace, const StageId& id);
std::string mapped_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
void derive_mapped(Derivation& d);
/// The state and its sum, computed from the keys that the last query sees.
RowMaker states(const Trace& trace, const StageId& id);
RowMaker state_sums(const Trace& trace, const StageId& id);
std::string state_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string state_sum_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
void derive_state(Derivation& d);
void derive_state_sum(Derivation& d);

/// Whether the state exists and determines the output of this row. This holds for the last row if nothing
/// changes the head's scores and weights.
bool gives_output(const Trace& trace, const StageId& state, int row);
/// Adds steps that compute the same cell of the output from the state.
void derive_from_state(Derivation& d);

/// The additional stages of linear attention: Katharopoulos et al. 2020, section 3.2 (the feature map) and
/// 3.4 (the state).
inline constexpr std::array linear_stages = {
    StageRecord{
        .info =
            {.kind = mapped_query,
             .symbol = "φ(Q)",
             .title = "Mapped query",
             .formula = "elu(Q) + 1",
             .is_signed = false,
             .tab = "mapped Q",
             .section = PageSection::projections,
             .meaning =
                 "The query after the feature map φ, which makes every number positive. No score is negative then, and scores can be divided by their sum without a softmax."},
        .derive = derive_mapped,
        .sentence = mapped_sentence,
        .formula = mapped_formula,
    },
    StageRecord{
        .info = {.kind = mapped_key,
                 .symbol = "φ(K)",
                 .title = "Mapped key",
                 .formula = "elu(K) + 1",
                 .is_signed = false,
                 .tab = "mapped K",
                 .section = PageSection::projections,
                 .meaning = "The key after the same feature map."},
        .derive = derive_mapped,
        .sentence = mapped_sentence,
        .formula = mapped_formula,
    },
    StageRecord{
        .info =
            {.kind = state,
             .symbol = "S_φ",
             .title = "State",
             .formula = "φ(K)ᵀ V of the last query's keys",
             .einsum = "shk,shv->hkv",
             .section = PageSection::weights,
             .meaning =
                 "All that the last query needs from its keys and values, in a table that does not grow with the text: the sum of φ(k) vᵀ, to which each new token adds its own product."},
        .compute = states,
        .derive = derive_state,
        .sentence = state_sentence,
    },
    StageRecord{
        .info =
            {.kind = state_sum,
             .symbol = "z_φ",
             .title = "Sum of the state's keys",
             .formula = "Σ φ(k) of the last query's keys",
             .is_signed = false,
             .section = PageSection::weights,
             .meaning =
                 "The part of the state that outputs are divided by: φ(q) · z_φ is the sum of a row of scores."},
        .compute = state_sums,
        .derive = derive_state_sum,
        .sentence = state_sum_sentence,
    },
};

}  // namespace headscope::stages
