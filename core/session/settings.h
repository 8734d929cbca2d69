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
#include "core/session/page_settings.h"
#include "core/session/picture_settings.h"
#include "core/session/selection_settings.h"
#include "core/session/setting.h"

namespace headscope {

/// The texts with which an author introduces a scene to those who open it.
inline constexpr std::array scene_settings{
    Setting{"title", "the title", "--title", "TITLE", place_group,
            "The scene's title, shown above its picture when it is presented", "none",
            field::Text{place_at<&Session::title>}},
    Setting{"note", "the note", "--note", "TEXT", place_group,
            "A sentence about what there is to see, shown below the title", "none",
            field::Text{place_at<&Session::note>}},
};

inline constexpr std::string_view given_group = "Given numbers";

/// The setting for numbers that are given by hand.
inline constexpr std::array given_settings{
    Setting{
        "given", "the given numbers", "--set", "PATH=NUMBERS", given_group,
        "Numbers for a parameter, the input of a stack, or the query, key, value or raw scores of a head: rows with semicolons between them, such as \"1 0; 0 1\", or @FILE (.csv, .npy); none removes all of them. Everything after them is computed from them; may be repeated",
        "none", field::Given{place_at<&Session::given>}},
};

inline constexpr std::string_view intervention_group = "Interventions";

/// The settings of interventions inside the pass.
inline constexpr std::array intervention_settings{
    Setting{
        "interventions.scale", "the scaled heads", "--scale-head", "L.H=X", intervention_group,
        "The factor of a head's output, from 0 (off) to 2: layer, head and factor, such as 1.2=0; with two stacks, decoder.1.2 or cross.1.2; separated by commas",
        "", field::Notation{words_of_scales, read_scales}},
    Setting{
        "interventions.pattern", "the patterns of heads", "--pattern", "L.H=WHICH", intervention_group,
        "What replaces the weights of a head's softmax: uniform (over the keys that it sees) or held (the weights of the same head in the subject after --against, in the rows whose word, or another in its place, is in its text); separated by commas",
        "", field::Notation{words_of_patterns, read_patterns}},
    Setting{
        "interventions.weights", "the weights given by hand", "--set-weight", "L.H:ROW.COLUMN=X",
        intervention_group,
        "A weight of a head, from 0 to 1; the other weights of its row share the rest in their old proportions. If the given weights of a row exceed its sum (1, or what a sink leaves of 1) or leave no other key, they are scaled to that sum. A weight in a cell that the mask hides is kept, but not used; separated by commas",
        "", field::Notation{words_of_weights, read_weights}},
    Setting{
        "interventions.patches", "the patched rows", "--patch", "PATH:ROW=WHICH", intervention_group,
        "Replace a token's row of a stage by zero or by the held subject's row before anything is computed from it; separated by commas",
        "", field::Notation{words_of_patches, read_patches}},
};

/// The settings of a cover, which hides numbers for an exercise. They are read after the selection, because a
/// cover that names no stage covers the selected one.
inline constexpr std::array cover_settings{
    Setting{
        "cover.cells", "the covered cells", "--cover", "WHAT", place_group,
        "Hides numbers of a stage until they are found: all, rows:I,…, columns:I,…, cells:R.C,…, every:N (2 is a chessboard) or random:SHARE[:SEED]; join several with +; +except:R.C,… leaves some out; @PATH names another stage than the selected one. I, R and C are indices or tokens",
        "none", field::Notation{words_of_cover, read_cover}},
    Setting{"cover.right", "the answered cells", "--answered", "R.C,…", place_group,
            "Covered cells that were answered correctly; they are shown with a mark", "none",
            field::Notation{words_of_answers, read_answers}},
    Setting{"cover.solution", "the solution", "--solution", "", place_group,
            "Shows the covered numbers, each in a frame", "",
            field::Flag{place_at<&Session::cover, &Cover::solution>}},
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

/// Every setting of a session, in the order in which they are read. The sentences and the sizes come before
/// the settings whose limits depend on them.
inline constexpr std::array all_settings = joined_tables(
    input_settings, architecture_settings, training_settings, attention_settings, self_mask_settings,
    self_document_settings, target_mask_settings, target_document_settings, cross_mask_settings,
    intervention_settings, given_settings, sampling_settings, picture_settings, page_settings, lines_settings,
    tiles_settings, decoding_settings, textbook_settings, scene_settings, selection_settings, cover_settings);

/// Returns whether each subject has its own value of a setting. The other settings belong to the whole
/// session.
constexpr bool is_of_subject(const Setting& setting) {
  const auto has = [&](const auto& table) {
    return std::ranges::any_of(table, [&](const Setting& each) { return each.key == setting.key; });
  };
  return !has(picture_settings) && !has(page_settings) && !has(lines_settings) && !has(tiles_settings) &&
         !has(decoding_settings) && !has(textbook_settings) && !has(scene_settings) && !has(cover_settings);
}

/// The options that set several settings at once.
inline constexpr std::array shared_options =
    joined_tables(architecture_options, attention_options, picture_options);

/// Returns the setting with this key, which the compiler looks up.
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

/// The action that gives one setting a value.
inline ChangeSettings set_to(SettingKey key, SettingInput value) {
  return {{{key.record->key, std::move(value)}}};
}
template <std::same_as<int> Number>
ChangeSettings set_to(SettingKey key, Number value) {
  return set_to(key, SettingInput(static_cast<double>(value)));
}

/// Returns the shared option of a setting, or null if it has its own option or none.
const SharedOption* shared_option(const Setting& setting);

}  // namespace headscope
