#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

#include "core/session/action.h"
#include "core/session/architecture_settings.h"
#include "core/session/attention_settings.h"
#include "core/session/cover_settings.h"
#include "core/session/given_settings.h"
#include "core/session/input_settings.h"
#include "core/session/intervention_settings.h"
#include "core/session/page_settings.h"
#include "core/session/picture_settings.h"
#include "core/session/scene_settings.h"
#include "core/session/selection_settings.h"

namespace headscope {

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
