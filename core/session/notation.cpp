#include "core/session/notation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/exact_text.h"
#include "core/model/interventions.h"
#include "core/session/names.h"
#include "core/session/repair.h"
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

std::optional<int> index_in(std::string_view text) {
  const auto number = parse_exact<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// Parses two indices such as "3.5".
std::optional<std::pair<int, int>> two_indices(std::string_view text) {
  const auto parts = parted(text, '.');
  const auto first = parts ? index_in(parts->first) : std::nullopt;
  const auto second = parts ? index_in(parts->second) : std::nullopt;
  if (!first || !second) return std::nullopt;
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

[[noreturn]] void reject(std::string_view item, const std::string& expected) {
  refuse(usage_error("“" + std::string(item) + "” must be " + expected));
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
void read_heads(Session& session, std::string_view words, const Set& reset, const Read& read) {
  Interventions& all = session.interventions;
  std::vector<HeadChange> changes = all.heads;
  for (HeadChange& change : changes) reset(change);
  Interventions changed = all;
  changed.heads = std::move(changes);
  for (const std::string_view item : items_in(words)) {
    const auto parts = parted(item, '=');
    const auto place = parts ? head_in(session.architecture, parts->first) : std::nullopt;
    if (!place) reject(item, "a head and its value, such as 1.2=0");
    HeadChange change = change_of(changed, *place);
    read(item, parts->second, change);
    std::erase_if(changed.heads, [&](const HeadChange& each) { return each.place == *place; });
    changed.heads.push_back(change);
  }
  all = in_order(std::move(changed));
}

void take_indices(std::string_view list, std::vector<int>& taken) {
  for (const std::string_view word : split_text(list, ',')) {
    const auto index = index_in(word);
    if (!index) reject(word, "an index, counted from 0");
    taken.push_back(*index);
  }
}

void take_cells(std::string_view list, std::vector<StageCell>& taken) {
  for (const std::string_view word : split_text(list, ',')) {
    const auto cell = two_indices(word);
    if (!cell) reject(word, "a row and a column, such as 7.1");
    taken.push_back({cell->first, cell->second});
  }
}

void take_random(std::string_view words, Cover& cover) {
  const std::size_t colon = words.find(':');
  const auto share = parse_exact<float>(words.substr(0, colon));
  const auto seed = colon == std::string_view::npos ? std::optional<std::uint64_t>(0)
                                                    : parse_exact<std::uint64_t>(words.substr(colon + 1));
  if (!share || !(*share > 0.0F && *share <= 1.0F) || !seed)
    reject(words, "a share above 0 and at most 1, optionally with a seed, such as 0.5 or 0.5:7");
  cover.share = *share;
  cover.seed = *seed;
}

void take_rule(std::string_view rule, Cover& cover) {
  const std::size_t colon = rule.find(':');
  const std::string_view kind = rule.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view() : rule.substr(colon + 1);
  if (rule == "all") {
    cover.all = true;
    return;
  }
  if (kind == "rows") return take_indices(rest, cover.rows);
  if (kind == "columns") return take_indices(rest, cover.columns);
  if (kind == "cells") return take_cells(rest, cover.cells);
  if (kind == "except") return take_cells(rest, cover.except);
  if (kind == "random") return take_random(rest, cover);
  if (kind == "every") {
    const auto every = parse_exact<int>(rest);
    if (!every || *every < 1 || *every > max_every) reject(rest, "a number from 1 to 1000");
    cover.every = *every;
    return;
  }
  reject(
      rule,
      "all, rows:I,…, columns:I,…, cells:R.C,…, every:N, random:SHARE or except:R.C,…, joined with +, or none");
}

std::string joined_indices(const std::vector<int>& indices) {
  return joined_words(indices, [](int index) { return std::to_string(index); });
}

std::string joined_cells(const std::vector<StageCell>& cells) {
  return joined_words(cells, [](const StageCell& cell) { return cell_word({cell.row, cell.col}); });
}

constexpr std::array hideable{std::pair{std::string_view("first"), &HiddenKeys::first},
                              std::pair{std::string_view("special"), &HiddenKeys::special},
                              std::pair{std::string_view("punctuation"), &HiddenKeys::punctuation}};

std::string format_head(const Architecture& architecture, const HeadId& head) {
  std::string word;
  if (head.attention == AttentionKind::cross) {
    word = "cross.";
  } else if (head.stack != architecture.first_stack()) {
    word = head.stack == Stack::decoder ? "decoder." : "encoder.";
  }
  return word + std::to_string(head.layer) + "." + std::to_string(head.head);
}

}  // namespace

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

void parse_scales(Session& session, std::string_view words) {
  return read_heads(
      session, words, [](HeadChange& change) { change.scale = 1.0F; },
      [](std::string_view item, std::string_view given, HeadChange& change) {
        const auto scale = parse_exact<float>(given);
        if (!scale || !(*scale >= 0.0F && *scale <= max_head_scale))
          reject(item, "a head and a factor from 0 to 2, such as 1.2=0");
        change.scale = *scale;
      });
}

void parse_patterns(Session& session, std::string_view words) {
  return read_heads(
      session, words, [](HeadChange& change) { change.pattern = Pattern::own; },
      [](std::string_view item, std::string_view given, HeadChange& change) {
        const auto pattern = enum_from_name<Pattern>(given);
        if (!pattern) reject(item, "a head and own, uniform or held, such as 1.2=uniform");
        change.pattern = *pattern;
      });
}

void parse_weights(Session& session, std::string_view words) {
  Interventions changed = session.interventions;
  changed.weights.clear();
  for (const std::string_view item : items_in(words)) {
    const auto parts = parted(item, '=');
    const auto where = parts ? parted(parts->first, ':') : std::nullopt;
    const auto place = where ? head_in(session.architecture, where->first) : std::nullopt;
    const auto cell = where ? two_indices(where->second) : std::nullopt;
    const auto weight = parts ? parse_exact<float>(parts->second) : std::nullopt;
    if (!place || !cell || !weight || !(*weight >= 0.0F && *weight <= 1.0F))
      reject(item, "a head, a row, a column and a weight from 0 to 1, such as 1.2:7.1=0.5");
    changed.weights.push_back({*place, {cell->first, cell->second}, *weight});
  }
  session.interventions = in_order(std::move(changed));
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

void parse_patches(Session& session, std::string_view words) {
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
      reject(
          item,
          "a stage's path, a row (or all) and zero, held, mean, position-mean or a factor, such as encoder.layers.0.self.projected:7=zero");
    }
    if (!can_be_patched(stage->kind))
      reject(
          item,
          "a row of a stage that has one for each token and from which others are computed, such as encoder.layers.0.self.heads.0.output");
    changed.patches.push_back({*stage, *row, patch->source, patch->factor});
  }
  session.interventions = in_order(std::move(changed));
}

std::string format_cover(const Session& session) {
  const Cover& cover = session.cover;
  if (!cover.stage) return std::string(nothing);
  std::string words;
  const auto add = [&](const std::string& rule) { words += (words.empty() ? "" : "+") + rule; };
  if (cover.all) add("all");
  if (!cover.rows.empty()) add("rows:" + joined_indices(cover.rows));
  if (!cover.columns.empty()) add("columns:" + joined_indices(cover.columns));
  if (cover.every > 0) add("every:" + std::to_string(cover.every));
  if (cover.share > 0.0F) {
    const std::string seed = cover.seed == 0 ? "" : ":" + std::to_string(cover.seed);
    add("random:" + exact_text(cover.share) + seed);
  }
  if (!cover.cells.empty()) add("cells:" + joined_cells(cover.cells));
  if (!cover.except.empty()) add("except:" + joined_cells(cover.except));
  return words.empty() ? std::string(nothing) : words + "@" + path(*cover.stage);
}

void parse_cover(Session& session, std::string_view words) {
  Cover cover;
  if (words != nothing && !words.empty()) {
    const std::size_t at = words.find('@');
    cover.stage = session.selection.at(session.selection.stage);
    if (at != std::string_view::npos) {
      cover.stage = parse_path(words.substr(at + 1));
      if (!cover.stage) {
        reject(words.substr(at + 1), "the path of a stage, such as encoder.layers.0.self.heads.0.weights");
      }
    }
    cover.stage = canonical(session.architecture, normalized(*cover.stage));
    for (const std::string_view rule : split_text(words.substr(0, at), '+')) {
      take_rule(rule, cover);
    }
    sort_unique(cover.rows);
    sort_unique(cover.columns);
    sort_unique(cover.cells);
    sort_unique(cover.except);
  }
  cover.right = std::move(session.cover.right);
  cover.solution = session.cover.solution;
  session.cover = std::move(cover);
}

std::string format_answers(const Session& session) {
  return joined_cells(session.cover.right);
}

void parse_answers(Session& session, std::string_view words) {
  std::vector<StageCell> right;
  if (words != nothing && !words.empty()) {
    take_cells(words, right);
  }
  sort_unique(right);
  session.cover.right = std::move(right);
}

std::string format_hidden_keys(const Session& session) {
  return joined_words(hideable, [&](const auto& one) {
    return std::string(session.lines.hidden.*one.second ? one.first : "");
  });
}

void parse_hidden_keys(Session& session, std::string_view words) {
  HiddenKeys hidden;
  for (const std::string_view word : items_in(words)) {
    const auto* found = std::ranges::find(hideable, word, [](const auto& one) { return one.first; });
    if (found == hideable.end()) reject(word, "first, special or punctuation, separated by commas, or none");
    hidden.*(found->second) = true;
  }
  session.lines.hidden = hidden;
}

std::string format_picked_tokens(const Session& session) {
  const PickedTokens& picked = session.selection.picked;
  if (picked.tokens.empty()) return std::string(nothing);
  return (picked.are_keys ? "keys:" : "queries:") + joined_indices(picked.tokens);
}

void parse_picked_tokens(Session& session, std::string_view words) {
  PickedTokens picked;
  if (words != nothing && !words.empty()) {
    constexpr std::string_view queries = "queries:";
    constexpr std::string_view keys = "keys:";
    picked.are_keys = words.starts_with(keys);
    if (!picked.are_keys && !words.starts_with(queries))
      reject(words, "queries: or keys: and token numbers, such as queries:3,5");
    for (const std::string_view word :
         split_text(words.substr((picked.are_keys ? keys : queries).size()), ',')) {
      const auto number = index_in(word);
      if (!number) reject(word, "the number of a token, counted from 0");
      picked.tokens.push_back(*number);
    }
    sort_unique(picked.tokens);
  }
  session.selection.picked = std::move(picked);
}

}  // namespace headscope
