#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

#include "core/session/action.h"
#include "core/session/architecture_settings.h"
#include "core/session/attention_settings.h"
#include "core/session/cover_words.h"
#include "core/session/input_settings.h"
#include "core/session/intervention_words.h"
#include "core/session/lines_words.h"
#include "core/session/page_options.h"
#include "core/session/picture_settings.h"
#include "core/session/selection_settings.h"
#include "core/session/setting.h"

namespace headscope {

// The settings of single pages.

/// The settings of PageName::lines.
inline constexpr std::array lines_settings{
    Setting{"lines.arcs", "the form of the lines", "--lines", "FORM", place_group,
            "Lines between two columns of tokens, or arcs over one line of them", "",
            field::NamedFlag{accessor_of<&Session::lines, &LinesOptions::arcs>, "columns", "arcs"}},
    Setting{"lines.share", "the drawn share of each row", "--line-share", "P", place_group,
            "Draw only the strongest lines of each query that together have this share of its attention", "",
            field::Real{accessor_of<&Session::lines, &LinesOptions::share>, 0.0F, 1.0F},
            Control{.label = "share of a row"}},
    Setting{
        "lines.hidden", "the hidden keys", "--hide-keys", "WHICH,…", place_group,
        "Keys without lines: first, special ([CLS], [SEP]) and punctuation; the shares of the other keys are scaled so that each row keeps its sum",
        "", field::Notation{format_hidden_keys, parse_hidden_keys}},
    Setting{"lines.whole_words", "the merging of sub-words", "--whole-words", "", place_group,
            "Draws the sub-words of a word as one token: weights to it are summed, weights from it averaged",
            "", field::Flag{accessor_of<&Session::lines, &LinesOptions::whole_words>},
            Control{.label = "Whole words"}},
};

/// Tiles of another size are processed from the first one.
inline void reset_tile_step(Session& session) {
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
            field::Integer{accessor_of<&Session::tiles, &TilesOptions::queries>, 1, max_tile_side},
            {},
            reset_tile_step},
    Setting{"tiles.keys",
            "the keys of a tile",
            "--tile-keys",
            "N",
            place_group,
            "Keys in a tile: the columns of the scores that are processed together",
            "",
            field::Integer{accessor_of<&Session::tiles, &TilesOptions::keys>, 1, max_tile_side},
            {},
            reset_tile_step},
    as_selection({"tiles.step", "the tile", "--tile-step", "N", place_group,
                  "The tile that was processed last, counted from 1, one row of tiles after another", "",
                  field::Integer{accessor_of<&Session::tiles, &TilesOptions::step>, 1, max_tile_step}}),
};

/// The settings of PageName::decoding.
inline constexpr std::array decoding_settings{
    as_selection(
        {"decoding.step", "the decoded token", "--decode-step", "N", place_group,
         "How many tokens have been decoded, one by one", "",
         field::Integer{accessor_of<&Session::decoding, &DecodingOptions::step>, 1, max_decoding_step}}),
    Setting{
        "decoding.numbers", "the cache's numbers", "--decode-numbers", "KIND", place_group,
        "The precision of the cached numbers: float32, as in this program, or 16bit, as most models are run",
        "", field::choice<&Session::decoding, &DecodingOptions::numbers>()},
    Setting{
        "decoding.kv_heads", "the groups of the compared cache", "--decode-kv-heads", "N", place_group,
        "Key and value heads of the grouped-query attention (GQA) in the comparison of caches, or the next lower number that divides the heads; 0: the model's own, or about a quarter of its heads",
        "",
        field::Integer{accessor_of<&Session::decoding, &DecodingOptions::kv_heads>, 0,
                       ArchitectureLimits::max_heads}},
    Setting{
        "decoding.latent", "the latent width of the compared cache", "--decode-latent", "N", place_group,
        "Width of the row that multi-head latent attention (MLA) keeps for each token; 0: the model's own, or 4 · d_head",
        "",
        field::Integer{accessor_of<&Session::decoding, &DecodingOptions::latent>, 0, max_decoding_latent}},
    Setting{
        "decoding.window", "the window of the compared cache", "--decode-window", "W", place_group,
        "Tokens that a sliding window sees, including the newest; its cache keeps no older ones", "",
        field::Integer{accessor_of<&Session::decoding, &DecodingOptions::window>, 1, max_decoding_window}},
};

/// The settings of PageName::textbooks.
inline constexpr std::array textbook_settings{
    as_selection({"textbook", "the worked example", "--textbook", "NAME", place_group,
                  "The worked example on the Textbooks page; “headscope textbook” lists them all",
                  "the first", field::Text{accessor_of<&Session::textbook>}}),
};

/// The texts that introduce a scene to its audience.
inline constexpr std::array scene_settings{
    Setting{"title", "the title", "--title", "TITLE", place_group,
            "The scene's title, shown above its picture when it is presented", "none",
            field::Text{accessor_of<&Session::title>}},
    Setting{"note", "the note", "--note", "TEXT", place_group,
            "A sentence about what there is to see, shown below the title", "none",
            field::Text{accessor_of<&Session::note>}},
};

inline constexpr std::string_view given_group = "Given numbers";

/// The setting for numbers given by hand.
inline constexpr std::array given_settings{
    Setting{
        "given", "the given numbers", "--set", "PATH=NUMBERS|KEY=VALUE", given_group,
        "Numbers for a parameter, the input of a stack, or the query, key, value or raw scores of a head: rows with semicolons between them, such as \"1 0; 0 1\", or @FILE (.csv, .npy); none removes all of them. Everything after them is computed from them. Or any setting, by its key in a scene's file: attention.temperature=0.5. May be repeated",
        "none", field::Given{accessor_of<&Session::given>}},
};

inline constexpr std::string_view intervention_group = "Interventions";

/// The settings of interventions inside the pass.
inline constexpr std::array intervention_settings{
    Setting{
        "interventions.scale", "the scaled heads", "--scale-head", "L.H=X", intervention_group,
        "The factor of a head's output, from 0 (off) to 2: layer, head and factor, such as 1.2=0; with two stacks, decoder.1.2 or cross.1.2; separated by commas",
        "", field::Notation{format_scales, parse_scales}},
    Setting{
        "interventions.pattern", "the patterns of heads", "--pattern", "L.H=WHICH", intervention_group,
        "What replaces the weights of a head's softmax: uniform (over the keys that it sees) or held (the weights of the same head in the subject after --against, in the rows whose word, or another in its place, is in its text); separated by commas",
        "", field::Notation{format_patterns, parse_patterns}},
    Setting{
        "interventions.weights", "the weights given by hand", "--set-weight", "L.H:ROW.COLUMN=X",
        intervention_group,
        "A weight of a head, from 0 to 1; the other weights of its row share the rest in their old proportions. If the given weights of a row exceed its sum (1, or what a sink leaves of 1) or leave no other key, they are scaled to that sum. A weight in a cell that the mask hides is kept, but not used; separated by commas",
        "", field::Notation{format_weights, parse_weights}},
    Setting{
        "interventions.patches", "the patched rows", "--patch", "PATH:ROW=WHICH", intervention_group,
        "Replace a token's row of a stage, or all of its rows (all), before anything is computed from it. The row becomes 0 (zero), the held subject's row (held), its mean over all tokens of other texts (mean) or over those at its position (position-mean), or is multiplied by a factor; separated by commas",
        "", field::Notation{format_patches, parse_patches}},
    Setting{
        "interventions.mean_over", "the texts of means", "--mean-over", "TEXTS", intervention_group,
        "The texts, one on each line, over whose tokens the means of rows are taken; without them, held-out texts of the model's task or, if it has none, random ones",
        "", field::Text{accessor_of<&Session::interventions, &Interventions::mean_over>}},
};

/// The settings of a cover, which hides numbers for an exercise. Read after the selection, because a cover
/// without a stage covers the selected one.
inline constexpr std::array cover_settings{
    Setting{
        "cover.cells", "the covered cells", "--cover", "WHAT", place_group,
        "Hides numbers of a stage until they are found: all, rows:I,…, columns:I,…, cells:R.C,…, every:N (2 is a chessboard) or random:SHARE[:SEED]; join several with +; +except:R.C,… leaves some out; @PATH names another stage than the selected one. I, R and C are indices or tokens",
        "none", field::Notation{format_cover, parse_cover}},
    Setting{"cover.right", "the answered cells", "--answered", "R.C,…", place_group,
            "Covered cells that were answered correctly; they are shown with a mark", "none",
            field::Notation{format_answers, parse_answers}},
    Setting{"cover.solution", "the solution", "--solution", "", place_group,
            "Shows the covered numbers, each in a frame", "",
            field::Flag{accessor_of<&Session::cover, &Cover::solution>}},
};

/// Concatenates several tables.
template <class Record, std::size_t... sizes>
constexpr auto joined_tables(const std::array<Record, sizes>&... tables) {
  std::array<Record, (sizes + ...)> all{};
  std::size_t n = 0;
  const auto append = [&](const auto& table) {
    for (const Record& record : table) all[n++] = record;
  };
  (append(tables), ...);
  return all;
}

/// Every setting of a session, in reading order: the sentences and sizes come before the settings whose
/// limits depend on them.
inline constexpr std::array all_settings = joined_tables(
    input_settings, architecture_settings, training_settings, attention_settings, self_mask_settings,
    self_document_settings, target_mask_settings, target_document_settings, cross_mask_settings,
    intervention_settings, given_settings, sampling_settings, picture_settings, page_settings, lines_settings,
    tiles_settings, decoding_settings, textbook_settings, scene_settings, selection_settings, cover_settings);

/// Whether each subject has its own value of a setting. The others belong to the session.
constexpr bool is_per_subject(const Setting& setting) {
  const auto has = [&](const auto& table) {
    return std::ranges::any_of(table, [&](const Setting& each) { return each.key == setting.key; });
  };
  return !has(picture_settings) && !has(page_settings) && !has(lines_settings) && !has(tiles_settings) &&
         !has(decoding_settings) && !has(textbook_settings) && !has(scene_settings) && !has(cover_settings);
}

/// The options that set several settings at once.
inline constexpr std::array shared_options =
    joined_tables(architecture_options, attention_options, picture_options);

/// Looks up the setting with this key at compile time.
consteval const Setting& setting(std::string_view key) {
  for (const Setting& each : all_settings) {
    if (each.key == key) return each;
  }
  throw "there is no setting with this key";
}

/// A setting found by its key at compile time.
struct SettingKey {
  consteval SettingKey(const char* key) : record(&setting(key)) {}
  const Setting* record;
};

/// The action that sets one setting.
inline ChangeSettings set_to(SettingKey key, SettingInput value) {
  return {{{key.record->key, std::move(value)}}};
}
template <std::same_as<int> Number>
ChangeSettings set_to(SettingKey key, Number value) {
  return set_to(key, SettingInput(static_cast<double>(value)));
}

/// Returns the shared option of a setting, or null if it has none.
const SharedOption* shared_option(const Setting& setting);

}  // namespace headscope
