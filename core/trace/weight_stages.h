#pragma once

#include <array>

#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

std::string weights_formula(const Trace& trace, const StageId& id);
std::string dropped_formula(const Trace& trace, const StageId& id);
std::string weights_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string dropped_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
void derive_weights(Derivation& d);
void derive_dropped(Derivation& d);
/// For linear attention: derives the share that a score has in its row.
void derive_share(Derivation& d, const std::vector<float>& scores, double sum, const std::string& note);
std::string sink_share_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
void derive_sink_share(Derivation& d);
/// The share of each query's attention that the sink takes.
RowMaker sink_shares(const Trace& trace, const StageId& id);

// Effective weights follow Kobayashi, Kuribayashi, Yokoi and Inui 2020, "Attention is Not Only a Weight:
// Analyzing Transformers with Vector Norms". The output of a head for a query is Σ α f(x) over keys, with
// f(x) = (x W_V + b_V) W_O, and ‖α f(x)‖ is the part of a key in it. The stage holds this length as a share
// of the row's sum. With dropout, α are the weights that the values are averaged with. A row without any
// weight is 0. The stage is absent without W_O, since there is no f(x), and with an output gate, since f(x)
// is then different for each query.
std::string effective_weights_formula(const Trace& trace, const StageId& id);
std::string effective_weights_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
void derive_effective_weights(Derivation& d);
RowMaker effective_weights_of(const Trace& trace, const StageId& id);

/// The stages that softmax makes from the scores.
inline constexpr std::array weight_stages = {
    StageRecord{
        .info = {.kind = weights,
                 .symbol = "A",
                 .title = "Attention weights",
                 .formula = "softmax over keys (M)",
                 .is_signed = false,
                 .is_share = true,
                 .landmark = "weights",
                 .section = PageSection::weights,
                 .meaning = "The share of its attention that each query (row) gives to each key (column)."},
        .derive = derive_weights,
        .sentence = weights_sentence,
        .formula = weights_formula,
    },
    StageRecord{
        .info =
            {.kind = sink_share,
             .symbol = "a_s",
             .title = "Share of the sink",
             .formula = "exp(s − m) / (Σ exp(M − m) + exp(s − m))",
             .is_signed = false,
             .section = PageSection::weights,
             .meaning =
                 "The share of each query's attention that goes to the sink: what its row of weights leaves of 1. The sink adds no value."},
        .compute = sink_shares,
        .derive = derive_sink_share,
        .sentence = sink_share_sentence,
    },
    StageRecord{
        .info =
            {.kind = dropped,
             .symbol = "A′",
             .title = "Weights after dropout",
             .formula = "A, some dropped, the others / (1 − p)",
             .is_signed = false,
             .is_share = true,
             .section = PageSection::weights,
             .meaning =
                 "In training, some weights are dropped at random and the others are scaled up to compensate."},
        .derive = derive_dropped,
        .sentence = dropped_sentence,
        .formula = dropped_formula,
    },
    StageRecord{
        .info =
            {.kind = effective_weights,
             .symbol = "Â",
             .title = "Effective weights",
             .formula = "A ‖V W_O[h]‖ / Σ over keys",
             .is_signed = false,
             .is_share = true,
             .tab = "effective",
             .section = PageSection::weights,
             .meaning =
                 "The share of each key in what this head adds to a query's row, by length: a key with a large weight and a short value adds little."},
        .compute = effective_weights_of,
        .derive = derive_effective_weights,
        .sentence = effective_weights_sentence,
        .formula = effective_weights_formula,
    },
};

}  // namespace headscope::stages
