#pragma once

#include <array>

#include "core/session/decoding_options.h"
#include "core/session/selection_settings.h"

namespace headscope {

/// The settings of the page of decoding.
inline constexpr std::array decoding_settings{
    Setting{"decoding.step", "the decoded token", "--decode-step", "N", place_group,
            "How many tokens have been decoded, one by one", "",
            field::Whole{place_at<&Session::decoding, &DecodingOptions::step>, 1, max_decoding_step}},
    Setting{
        "decoding.numbers", "the cache's numbers", "--decode-numbers", "KIND", place_group,
        "The precision of the cached numbers: float32, as in this program, or 16bit, as most models are run",
        "", field::choice<&Session::decoding, &DecodingOptions::numbers>()},
    Setting{
        "decoding.kv_heads", "the groups of the compared cache", "--decode-kv-heads", "N", place_group,
        "Key and value heads of the grouped-query attention (GQA) in the comparison of caches, or the next lower number that divides the heads; 0: the model’s own, or about a quarter of its heads",
        "",
        field::Whole{place_at<&Session::decoding, &DecodingOptions::kv_heads>, 0,
                     ArchitectureLimits::max_heads}},
    Setting{
        "decoding.latent", "the latent width of the compared cache", "--decode-latent", "N", place_group,
        "Width of the row that multi-head latent attention (MLA) keeps for each token; 0: the model’s own, or 4 · d_head",
        "", field::Whole{place_at<&Session::decoding, &DecodingOptions::latent>, 0, max_decoding_latent}},
    Setting{"decoding.window", "the window of the compared cache", "--decode-window", "W", place_group,
            "Tokens that a sliding window sees, including the newest; its cache keeps no older ones", "",
            field::Whole{place_at<&Session::decoding, &DecodingOptions::window>, 1, max_decoding_window}},
};

}  // namespace headscope
