#include "core/session/intervention_words.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "core/exact_text.h"
#include "core/model/interventions.h"
#include "core/session/names.h"
#include "core/split_text.h"

namespace headscope {
namespace {

constexpr std::string_view nothing = "none";
constexpr std::string_view all_rows = "all";

/// Splits a text at the last separator. Returns nullopt if there is none.
std::optional<std::pair<std::string_view, std::string_view>> parted(std::string_view text, char separator) {
  const std::size_t at = text.rfind(separator);
  if (at == std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

/// Parses two indices such as "3.5".
std::optional<std::pair<int, int>> two_indices(std::string_view text) {
  const auto parts = parted(text, '.');
  if (!parts) return std::nullopt;
  const auto first = parse_exact<int>(parts->first);
  const auto second = parse_exact<int>(parts->second);
  if (!first || !second || *first < 0 || *second < 0) return std::nullopt;
  return std::pair(*first, *second);
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<HeadId> head_in(const Architecture& architecture, std::string_view word) {
  HeadId place;
  place.stack = architecture.has_self() ? architecture.first_stack() : Stack::decoder;
  if (!architecture.has_self()) place.attention = AttentionKind::cross;
  if (take_prefix(word, "cross.")) {
    place.stack = Stack::decoder;
    place.attention = AttentionKind::cross;
  } else if (take_prefix(word, "decoder.")) {
    place.stack = Stack::decoder;
  } else if (take_prefix(word, "encoder.")) {
    place.stack = Stack::encoder;
  }
  const auto indices = two_indices(word);
  if (!indices) return std::nullopt;
  std::tie(place.layer, place.head) = *indices;
  return place;
}

std::vector<std::string_view> items_in(std::string_view words) {
  return words.empty() || words == nothing ? std::vector<std::string_view>() : split_text(words, ',');
}

Result<void> refused(std::string_view item, const std::string& expected) {
  return usage_error("“" + std::string(item) + "” must be " + expected);
}

/// Joins the words of a list of items. Returns "none" if there are no words.
template <class Items, class Word>
std::string joined_words(const Items& items, const Word& word) {
  std::string text;
  for (const auto& item : items) {
    const std::string next = word(item);
    if (next.empty()) continue;
    text += (text.empty() ? "" : ",") + next;
  }
  return text.empty() ? std::string(nothing) : text;
}

std::string cell_word(Cell cell) {
  return std::to_string(cell.query) + "." + std::to_string(cell.key);
}

/// Parses one member of the changes of heads. `reset` first sets that member to its default in every head.
template <class Set, class Read>
Result<void> read_heads(Session& session, std::string_view words, const Set& reset, const Read& read) {
  Interventions& all = session.interventions;
  std::vector<HeadChange> changes = all.heads;
  for (HeadChange& change : changes) reset(change);
  Interventions changed = all;
  changed.heads = std::move(changes);
  for (const std::string_view item : items_in(words)) {
    const auto parts = parted(item, '=');
    const auto place = parts ? head_in(session.architecture, parts->first) : std::nullopt;
    if (!place) return refused(item, "a head and its value, such as 1.2=0");
    HeadChange change = change_of(changed, *place);
    if (auto ok = read(item, parts->second, change); !ok) return ok;
    std::erase_if(changed.heads, [&](const HeadChange& each) { return each.place == *place; });
    changed.heads.push_back(change);
  }
  all = in_order(std::move(changed));
  return {};
}

}  // namespace

std::string format_head(const Architecture& architecture, const HeadId& head) {
  std::string word;
  if (head.attention == AttentionKind::cross) {
    word = "cross.";
  } else if (head.stack != architecture.first_stack()) {
    word = head.stack == Stack::decoder ? "decoder." : "encoder.";
  }
  return word + std::to_string(head.layer) + "." + std::to_string(head.head);
}

std::string format_scales(const Session& session) {
  return joined_words(session.interventions.heads, [&](const HeadChange& change) {
    if (change.scale == 1.0F) return std::string();
    return format_head(session.architecture, change.place) + "=" + exact_text(change.scale);
  });
}

std::string format_patterns(const Session& session) {
  return joined_words(session.interventions.heads, [&](const HeadChange& change) {
    if (change.pattern == Pattern::own) return std::string();
    return format_head(session.architecture, change.place) + "=" + std::string(enum_name(change.pattern));
  });
}

std::string format_weights(const Session& session) {
  return joined_words(session.interventions.weights, [&](const GivenWeight& given) {
    return format_head(session.architecture, given.place) + ":" + cell_word(given.cell) + "=" +
           exact_text(given.weight);
  });
}

std::string format_patches(const Session& session) {
  return joined_words(session.interventions.patches, [](const Patch& patch) {
    const bool is_scaled = patch.source == PatchSource::scaled;
    return path(patch.stage) + ":" +
           (patch.row == every_row ? std::string(all_rows) : std::to_string(patch.row)) + "=" +
           (is_scaled ? exact_text(patch.factor) : std::string(enum_name(patch.source)));
  });
}

Result<void> parse_scales(Session& session, std::string_view words) {
  return read_heads(
      session, words, [](HeadChange& change) { change.scale = 1.0F; },
      [](std::string_view item, std::string_view given, HeadChange& change) -> Result<void> {
        const auto scale = parse_exact<float>(given);
        if (!scale || !(*scale >= 0.0F && *scale <= max_head_scale))
          return refused(item, "a head and a factor from 0 to 2, such as 1.2=0");
        change.scale = *scale;
        return {};
      });
}

Result<void> parse_patterns(Session& session, std::string_view words) {
  return read_heads(
      session, words, [](HeadChange& change) { change.pattern = Pattern::own; },
      [](std::string_view item, std::string_view given, HeadChange& change) -> Result<void> {
        const auto pattern = enum_from_name<Pattern>(given);
        if (!pattern) return refused(item, "a head and own, uniform or held, such as 1.2=uniform");
        change.pattern = *pattern;
        return {};
      });
}

Result<void> parse_weights(Session& session, std::string_view words) {
  Interventions changed = session.interventions;
  changed.weights.clear();
  for (const std::string_view item : items_in(words)) {
    const auto parts = parted(item, '=');
    const auto where = parts ? parted(parts->first, ':') : std::nullopt;
    const auto place = where ? head_in(session.architecture, where->first) : std::nullopt;
    const auto cell = where ? two_indices(where->second) : std::nullopt;
    const auto weight = parts ? parse_exact<float>(parts->second) : std::nullopt;
    if (!place || !cell || !weight || !(*weight >= 0.0F && *weight <= 1.0F))
      return refused(item, "a head, a row, a column and a weight from 0 to 1, such as 1.2:7.1=0.5");
    changed.weights.push_back({*place, {cell->first, cell->second}, *weight});
  }
  session.interventions = in_order(std::move(changed));
  return {};
}

/// Parses the replacement of a row: `zero`, `held`, `mean`, or a factor. Sets only these members of the
/// patch.
std::optional<Patch> replacement_in(std::string_view word) {
  Patch patch;
  if (const auto factor = parse_exact<float>(word)) {
    if (!(std::fabs(*factor) <= max_row_factor)) return std::nullopt;
    patch.source = PatchSource::scaled;
    patch.factor = *factor;
    return patch;
  }
  const auto source = enum_from_name<PatchSource>(word);
  if (!source || *source == PatchSource::scaled) return std::nullopt;
  patch.source = *source;
  return patch;
}

Result<void> parse_patches(Session& session, std::string_view words) {
  Interventions changed = session.interventions;
  changed.patches.clear();
  for (const std::string_view item : items_in(words)) {
    const auto parts = parted(item, '=');
    const auto where = parts ? parted(parts->first, ':') : std::nullopt;
    const auto stage = where ? parse_path(where->first) : std::nullopt;
    const auto row = !where                      ? std::nullopt
                     : where->second == all_rows ? std::optional(every_row)
                                                 : parse_exact<int>(where->second);
    const auto patch = parts ? replacement_in(parts->second) : std::nullopt;
    if (!stage || !row || *row < every_row || (*row == every_row && where->second != all_rows) || !patch) {
      return refused(
          item,
          "a stage's path, a row (or all) and zero, held, mean, position-mean or a factor, such as encoder.layers.0.self.projected:7=zero");
    }
    if (!can_be_patched(stage->kind))
      return refused(
          item,
          "a row of a stage that has one for each token and from which others are computed, such as encoder.layers.0.self.heads.0.output");
    changed.patches.push_back({*stage, *row, patch->source, patch->factor});
  }
  session.interventions = in_order(std::move(changed));
  return {};
}

}  // namespace headscope
