#pragma once

#include <array>

#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"
#include "core/trace/wiring.h"

namespace headscope::stages {

using enum StageKind;

std::string weights_formula(const Trace& trace, const StageId& id);
std::string dropped_formula(const Trace& trace, const StageId& id);
std::string weights_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
std::string dropped_sentence(const Trace& trace, const StageId& id, const CellValue& cell);
void derive_weights(Derivation& d);
void derive_dropped(Derivation& d);

/// What softmax makes of the scores.
inline constexpr std::array weight_stages = {
    StageRecord{
        .info = {.kind = weights,
                 .scope = StageScope::head,
                 .name = "weights",
                 .symbol = "A",
                 .title = "Attention weights",
                 .formula = "softmax over keys (M)",
                 .rows = Axis::query_tokens,
                 .cols = Axis::key_tokens,
                 .is_signed = false,
                 .is_share = true,
                 .section = PageSection::weights,
                 .meaning = "The share of its attention that each query (row) gives to each key (column)."},
        .numbers = [](const PassPlace& at) { return at.head_map(at.attention().weights); },
        .inputs = [](const Trace&, const StageId& id) -> std::vector<StageId> {
          return {at_kind(id, masked)};
        },
        .derive = derive_weights,
        .sentence = weights_sentence,
        .formula = weights_formula,
    },
    StageRecord{
        .info = {.kind = dropped,
                 .scope = StageScope::head,
                 .name = "dropped",
                 .symbol = "A′",
                 .title = "Weights after dropout",
                 .formula = "A, some dropped, the others / (1 − p)",
                 .rows = Axis::query_tokens,
                 .cols = Axis::key_tokens,
                 .is_signed = false,
                 .is_share = true,
                 .section = PageSection::weights,
                 .meaning = "In training, some weights are dropped at random and the others are scaled up to "
                            "compensate."},
        .numbers = [](const PassPlace& at) { return at.head_map(at.attention().dropped); },
        .inputs = [](const Trace&, const StageId& id) -> std::vector<StageId> {
          return {at_kind(id, weights)};
        },
        .absent = [](const Trace& trace,
                     const StageId&) { return unless(trace.options().drops(), Absence::no_dropout); },
        .derive = derive_dropped,
        .sentence = dropped_sentence,
        .formula = dropped_formula,
    },
};

}  // namespace headscope::stages
