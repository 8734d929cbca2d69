#pragma once

#include <array>

#include "core/trace/parameter_stages.h"
#include "core/trace/projection_stages.h"

namespace headscope::stages {

std::string origin_of_w_latent(const Trace& trace, const StageId& id);
std::string origin_of_w_shared_key(const Trace& trace, const StageId& id);

/// The stages and parameters from which multi-head latent attention makes the keys and values of all heads.
inline constexpr std::array latent_stages = {
    StageRecord{
        .info = parameter(
            w_latent, "W_DKV", "Latent weights",
            "The matrix that compresses a token's row into a short one, from which the keys and values of all heads are made."),
        .formula = origin_of_w_latent,
    },
    StageRecord{
        .info = parameter(latent_norm_gain, "γ_c", "Gain of the latent's norm",
                          "The factor for each number of a normalised latent row."),
        .formula = origin_of_gain,
    },
    StageRecord{
        .info = parameter(
            w_shared_key, "W_KR", "Shared key weights",
            "The matrix that turns a token's row into the part of its key that all heads share and that positions rotate."),
        .formula = origin_of_w_shared_key,
    },
    StageRecord{
        .info =
            {.kind = latent,
             .symbol = "c",
             .title = "Latent of keys and values",
             .formula = "x W_DKV",
             .einsum = "sd,dc->sc",
             .section = PageSection::projections,
             .meaning =
                 "Each token's row, compressed into a short one that holds what all heads need for their keys and values."},
        .sentence = dimension_sentence,
    },
    StageRecord{
        .info =
            {.kind = normed_latent,
             .symbol = "ĉ",
             .title = "Normalised latent",
             .formula = "c / RMS(c) · γ_c",
             .section = PageSection::projections,
             .meaning =
                 "The latent row divided by its root mean square: what the keys and values of all heads are made from, and all that a KV cache keeps of them."},
        .sentence = dimension_sentence,
    },
    StageRecord{
        .info =
            {.kind = shared_key,
             .symbol = "K_R",
             .title = "Shared key",
             .formula = "x W_KR",
             .einsum = "sd,dr->sr",
             .section = PageSection::projections,
             .meaning =
                 "The dimensions of every head's key that positions rotate, the same in all heads. They do not come from the latent, because W_K could then not be multiplied into W_Q once for all positions."},
        .sentence = dimension_sentence,
    },
};

}  // namespace headscope::stages
