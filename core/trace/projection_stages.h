#pragma once

#include <array>

#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"

namespace headscope::stages {

using enum StageKind;

std::string key_formula(const Trace& trace, const StageId& id);
void derive_key(Derivation& d);
/// The formula “Q, rotated by its position”, or the same for the normalised row if there is a norm.
std::string rotated_formula(const Trace& trace, const StageId& id);
void derive_rotated(Derivation& d);
/// A sentence such as "Q of “it” (token 7), dimension 3, is −0.42".
std::string dimension_sentence(const Trace& trace, const StageId& id, const CellValue& cell);

/// Queries, keys and values, and what is made of them before they are compared.
inline constexpr std::array projection_stages = {
    StageRecord{
        .info = {.kind = query,
                 .symbol = "Q",
                 .title = "Query",
                 .formula = "x W_Q + b_Q",
                 .einsum = "td,dhk->thk",
                 .landmark = "Q",
                 .tab = "Q",
                 .section = PageSection::projections,
                 .meaning = "What each token looks for in the others, as this head sees it."},
        .sentence = dimension_sentence,
    },
    StageRecord{
        .info = {.kind = key,
                 .symbol = "K",
                 .title = "Key",
                 .formula = "x W_K + b_K",
                 .einsum = "sd,dhk->shk",
                 .landmark = "K",
                 .tab = "K",
                 .section = PageSection::projections,
                 .meaning = "What each token can be found by; it is compared with every query."},
        .derive = derive_key,
        .sentence = dimension_sentence,
        .formula = key_formula,
    },
    StageRecord{
        .info = {.kind = value,
                 .symbol = "V",
                 .title = "Value",
                 .formula = "x W_V + b_V",
                 .einsum = "sd,dhv->shv",
                 .landmark = "V",
                 .tab = "V",
                 .section = PageSection::projections,
                 .meaning = "What each token passes on to the tokens that attend to it."},
        .sentence = dimension_sentence,
    },
    StageRecord{
        .info =
            {.kind = normed_query,
             .symbol = "Q̂",
             .title = "Normalised query",
             .formula = "Q / RMS(Q) · γ_Q",
             .tab = "normed Q",
             .section = PageSection::projections,
             .meaning =
                 "The query divided by its root mean square, so that its length does not sharpen softmax."},
        .sentence = dimension_sentence,
    },
    StageRecord{
        .info = {.kind = normed_key,
                 .symbol = "K̂",
                 .title = "Normalised key",
                 .formula = "K / RMS(K) · γ_K",
                 .tab = "normed K",
                 .section = PageSection::projections,
                 .meaning = "The key, normalised in the same way."},
        .sentence = dimension_sentence,
    },
    StageRecord{
        .info =
            {.kind = rotated_query,
             .symbol = "Q°",
             .title = "Rotated query",
             .formula = "Q, rotated by its position",
             .tab = "rotated Q",
             .section = PageSection::projections,
             .meaning =
                 "The query with each pair of dimensions rotated by an angle that grows with the position."},
        .derive = derive_rotated,
        .sentence = dimension_sentence,
        .formula = rotated_formula,
    },
    StageRecord{
        .info =
            {.kind = rotated_key,
             .symbol = "K°",
             .title = "Rotated key",
             .formula = "K, rotated by its position",
             .tab = "rotated K",
             .section = PageSection::projections,
             .meaning =
                 "The key, rotated in the same way: its product with a query depends only on their distance."},
        .derive = derive_rotated,
        .sentence = dimension_sentence,
        .formula = rotated_formula,
    },
};

}  // namespace headscope::stages
