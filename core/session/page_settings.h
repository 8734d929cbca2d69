#pragma once

#include <array>

#include "core/session/lines_words.h"
#include "core/session/page_options.h"
#include "core/session/selection_settings.h"
#include "core/session/setting.h"

namespace headscope {

// The settings of single pages. A page that is not listed here has none of its own.

/// The settings of PageName::lines.
inline constexpr std::array lines_settings{
    Setting{"lines.arcs", "the form of the lines", "--lines", "FORM", place_group,
            "Lines between two columns of tokens, or arcs over one line of them", "",
            field::NamedFlag{place_at<&Session::lines, &LinesOptions::arcs>, "columns", "arcs"}},
    Setting{"lines.share", "the drawn share of each row", "--line-share", "P", place_group,
            "Draw only the strongest lines of each query that together have this share of its attention", "",
            field::Decimal{place_at<&Session::lines, &LinesOptions::share>, 0.0F, 1.0F},
            Control{.label = "share of a row"}},
    Setting{
        "lines.hidden", "the hidden keys", "--hide-keys", "WHICH,…", place_group,
        "Keys without lines: first, special ([CLS], [SEP]) and punctuation; the shares of the other keys are scaled so that each row keeps its sum",
        "", field::Notation{words_of_hidden_keys, read_hidden_keys}},
    Setting{"lines.whole_words", "the merging of sub-words", "--whole-words", "", place_group,
            "Draws the sub-words of a word as one token: weights to it are summed, weights from it averaged",
            "", field::Flag{place_at<&Session::lines, &LinesOptions::whole_words>},
            Control{.label = "Whole words"}},
};

/// Tiles of another size are processed from the first one again.
inline void to_first_tile(Session& session) {
  session.tiles.step = 1;
}

/// The settings of PageName::tiles.
inline constexpr std::array tiles_settings{
    Setting{"tiles.queries",
            "the queries of a tile",
            "--tile-queries",
            "N",
            place_group,
            "Queries in a tile: the rows of the scores that are processed together",
            "",
            field::Whole{place_at<&Session::tiles, &TilesOptions::queries>, 1, max_tile_side},
            {},
            to_first_tile},
    Setting{"tiles.keys",
            "the keys of a tile",
            "--tile-keys",
            "N",
            place_group,
            "Keys in a tile: the columns of the scores that are processed together",
            "",
            field::Whole{place_at<&Session::tiles, &TilesOptions::keys>, 1, max_tile_side},
            {},
            to_first_tile},
    selecting({"tiles.step", "the tile", "--tile-step", "N", place_group,
               "The tile that was processed last, counted from 1, one row of tiles after another", "",
               field::Whole{place_at<&Session::tiles, &TilesOptions::step>, 1, max_tile_step}}),
};

/// The settings of PageName::decoding.
inline constexpr std::array decoding_settings{
    selecting({"decoding.step", "the decoded token", "--decode-step", "N", place_group,
               "How many tokens have been decoded, one by one", "",
               field::Whole{place_at<&Session::decoding, &DecodingOptions::step>, 1, max_decoding_step}}),
    Setting{
        "decoding.numbers", "the cache's numbers", "--decode-numbers", "KIND", place_group,
        "The precision of the cached numbers: float32, as in this program, or 16bit, as most models are run",
        "", field::choice<&Session::decoding, &DecodingOptions::numbers>()},
    Setting{
        "decoding.kv_heads", "the groups of the compared cache", "--decode-kv-heads", "N", place_group,
        "Key and value heads of the grouped-query attention (GQA) in the comparison of caches, or the next lower number that divides the heads; 0: the model's own, or about a quarter of its heads",
        "",
        field::Whole{place_at<&Session::decoding, &DecodingOptions::kv_heads>, 0,
                     ArchitectureLimits::max_heads}},
    Setting{
        "decoding.latent", "the latent width of the compared cache", "--decode-latent", "N", place_group,
        "Width of the row that multi-head latent attention (MLA) keeps for each token; 0: the model's own, or 4 · d_head",
        "", field::Whole{place_at<&Session::decoding, &DecodingOptions::latent>, 0, max_decoding_latent}},
    Setting{"decoding.window", "the window of the compared cache", "--decode-window", "W", place_group,
            "Tokens that a sliding window sees, including the newest; its cache keeps no older ones", "",
            field::Whole{place_at<&Session::decoding, &DecodingOptions::window>, 1, max_decoding_window}},
};

/// The settings of PageName::textbooks.
inline constexpr std::array textbook_settings{
    selecting({"textbook", "the worked example", "--textbook", "NAME", place_group,
               "The worked example on the Textbooks page; “headscope textbook” lists them all", "the first",
               field::Text{place_at<&Session::textbook>}}),
};

}  // namespace headscope
