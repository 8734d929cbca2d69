#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "core/measures/measure.h"
#include "core/session/action.h"
#include "core/session/architecture_settings.h"
#include "core/session/attention_settings.h"
#include "core/session/notation.h"
#include "core/session/page_options.h"
#include "core/session/picture_settings.h"
#include "core/session/setting.h"

namespace headscope {

inline constexpr std::string_view place_group = "What";

/// The maximum of any measure: a mean distance is at most the length of a text.
inline constexpr float max_measure = 1e6F;

inline int last_layer(const Session& session) {
  return session.architecture.n_layers - 1;
}
inline int last_head(const Session& session) {
  return session.architecture.n_heads - 1;
}
/// The last token of the selected stack.
int last_token(const Session& session);

namespace accessors {
template <auto member>
inline constexpr auto selection = accessor_of<&Session::selection, member>;
}  // namespace accessors

/// "model", followed by the names of the measures.
inline constexpr auto head_orders = [] {
  std::array<std::string_view, n_measures + 1> names{"model"};
  for (const MeasureRecord& record : measure_table) names[index_of(record.measure) + 1] = record.name;
  return names;
}();

/// The order of the heads: the model's order, or a measure.
inline constexpr field::Choice head_order{
    head_orders,
    [](const Session& session) {
      return session.heads.sorted_by ? index_of(*session.heads.sorted_by) + 1 : std::size_t{0};
    },
    [](Session& session, std::size_t index) {
      session.heads.sorted_by.reset();
      if (index > 0) session.heads.sorted_by = static_cast<HeadMeasure>(index - 1);
    }};

/// The page that is shown, among those that are views.
inline constexpr field::Choice view_choice{
    std::span(names_of<PageName>).first(n_views),
    [](const Session& session) { return index_of(session.view); },
    [](Session& session, std::size_t index) { session.view = static_cast<PageName>(index); }};

/// The settings of the page and of what it shows.
inline constexpr std::array page_settings{
    Setting{"selection.view", "the page", "--page", "PAGE", place_group, "The window's page, as a figure", "",
            view_choice},
    as_selection({"watch.step", "the step of the row", "--watch-step", "N", place_group,
                  "How far the row on the page watch has been computed", "",
                  field::Integer{accessor_of<&Session::watch_step>, 1, last_watch_step}}),
    as_selection(
        {"diagram.step", "the step of the walk", "--diagram-step", "N", place_group,
         "How far the walk through the diagram on the page model has come, or 0 for the selected stage", "",
         field::Integer{accessor_of<&Session::diagram_step>, 0, max_diagram_step}}),
    as_selection({"difference", "the difference", "--difference", "", place_group,
                  "Show in maps the numbers minus those of the subject after --against", "",
                  field::Flag{accessor_of<&Session::difference>}}),
    Setting{
        "heads.sorted_by", "the order of the heads", "--sort-heads", "ORDER", place_group,
        "The order of the heads on their page: the model's order, or by a measure of what they do, highest first",
        "", head_order},
    Setting{
        "heads.at_least", "the lower limit for the heads shown", "--heads-from", "X", place_group,
        "Leave out heads below this value of the measure they are sorted by; in the model's order, heads with no measure that reaches it",
        "", field::Real{accessor_of<&Session::heads, &HeadsOptions::min_value>, 0.0F, max_measure}},
    Setting{
        "heads.measured_on", "what heads are measured on", "--measured-on", "TEXT", place_group,
        "What heads are measured on: the sentence, repeated random words, or held-out sentences of the model's task",
        "", field::choice<&Session::heads, &HeadsOptions::measured_on>()},
    Setting{"heads.exclude_bos", "whether scores leave out the first token", "--exclude-bos", "", place_group,
            "Leave attention to the first token out of the scores of TransformerLens's head detector", "",
            field::Flag{accessor_of<&Session::heads, &HeadsOptions::detector, &DetectorOptions::exclude_bos>},
            Control{.label = "exclude_bos"}},
    Setting{
        "heads.exclude_current_token", "whether scores leave out the token itself", "--exclude-current-token",
        "", place_group,
        "Leave attention of a token to itself out of the scores of TransformerLens's head detector", "",
        field::Flag{
            accessor_of<&Session::heads, &HeadsOptions::detector, &DetectorOptions::exclude_current_token>},
        Control{.label = "exclude_current_token"}},
    Setting{
        "heads.combine", "the heads' common map", "--combine", "HOW", place_group,
        "One map of the picked heads, or of the whole layer if none is picked: the mean or the largest of their weights, or the rollout of all layers up to this one",
        "", field::choice<&Session::heads, &HeadsOptions::combine>()},
};

/// The settings of the selection. The stack, layer, attention and head come before the token, which is an
/// index in them.
inline constexpr std::array selection_settings{
    Setting{"selection.stage", "the stage", "--stage", "NAME", place_group,
            "weights, scaled, query, W_Q, … or a path; “headscope info” lists them", "",
            field::Stage{accessors::selection<&Selection::stage>}},
    Setting{"selection.head", "the head", "--head", "N", place_group, "The head, counted from 0",
            "0; in a trained model, the one that shows what it learned",
            field::Integer{accessors::selection<&Selection::head>, 0, 0, last_head}},
    Setting{"selection.layer", "the layer", "--layer", "N", place_group, "The layer, counted from 0",
            "0; in a trained model, the layer of this head",
            field::Integer{accessors::selection<&Selection::layer>, 0, 0, last_layer}},
    Setting{"selection.stack", "the stack", "--stack", "NAME", place_group, "The stack",
            "the encoder, if there is one", field::choice<&Session::selection, &Selection::stack>()},
    Setting{"selection.attention", "the attention", "--attention", "KIND", place_group,
            "The kind of attention", "", field::choice<&Session::selection, &Selection::attention>()},
    Setting{"selection.heads", "the picked heads", "--picked-heads", "L.H,…", place_group,
            "Heads that are shown together, by layer and head: 1.2 is layer 1, head 2", "none",
            field::Heads{accessors::selection<&Selection::heads>}},
    Setting{"selection.token", "the selected token", "--token", "I|none", place_group,
            "The token whose lines are drawn, counted from 0", "none",
            field::OptionalInteger{accessors::selection<&Selection::token>, 0, 0, "none", last_token}},
    Setting{"selection.picked", "the picked tokens", "--picked-tokens", "SIDE:I,…", place_group,
            "Tokens whose lines the Lines page draws together: queries:3,5 or keys:1, counted from 0", "none",
            field::Notation{format_picked_tokens, parse_picked_tokens}},
    Setting{"selection.pin", "the pinned cell", "--pin", "PATH:R.C", place_group,
            "The outlined cell, given by the path of its stage, its row and its column", "none",
            field::PinnedCell{accessors::selection<&Selection::pin>}},
    Setting{"selection.word", "the explained word", "--word", "WORD", place_group,
            "The word whose prediction the Effects page explains", "the likeliest one",
            field::Text{accessors::selection<&Selection::word>}},
};

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
    Setting{"tiles.queries", "the queries of a tile", "--tile-queries", "N", place_group,
            "Queries in a tile: the rows of the scores that are processed together", "",
            field::Integer{accessor_of<&Session::tiles, &TilesOptions::queries>, 1, max_tile_side}, Control{},
            reset_tile_step},
    Setting{"tiles.keys", "the keys of a tile", "--tile-keys", "N", place_group,
            "Keys in a tile: the columns of the scores that are processed together", "",
            field::Integer{accessor_of<&Session::tiles, &TilesOptions::keys>, 1, max_tile_side}, Control{},
            reset_tile_step},
    as_selection({"tiles.step", "the tile", "--tile-step", "N", place_group,
                  "The tile that was processed last, counted from 1, one row of tiles after another", "",
                  field::Integer{accessor_of<&Session::tiles, &TilesOptions::step>, 1, max_tile_step}}),
};

/// The settings of PageName::decoding.
inline constexpr std::array decoding_settings{
    as_selection(
        {"decoding.step", "the number of tokens read", "--decode-step", "N", place_group,
         "How many tokens have been read, one by one", "",
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

template <class Enum>
requires std::is_enum_v<Enum> ChangeSettings set_to(SettingKey key, Enum value) {
  return set_to(key, SettingInput(std::string(enum_name(value))));
}

/// Returns the shared option of a setting, or null if it has none.
const SharedOption* shared_option(const Setting& setting);

}  // namespace headscope
