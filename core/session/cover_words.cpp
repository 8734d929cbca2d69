#include "core/session/cover_words.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/exact_text.h"
#include "core/split_text.h"

namespace headscope {
namespace {

constexpr std::string_view no_cells = "none";

std::optional<int> index_of_cover(std::string_view text) {
  const auto number = parse_exact<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

tl::unexpected<Error> not_covered(std::string_view word, const char* must) {
  return usage_error("“" + std::string(word) + "” must be " + must);
}

Result<void> take_indices(std::string_view list, std::vector<int>& taken) {
  for (const std::string_view word : split_text(list, ',')) {
    const auto index = index_of_cover(word);
    if (!index) return not_covered(word, "an index, counted from 0");
    taken.push_back(*index);
  }
  return {};
}

Result<void> take_cells(std::string_view list, std::vector<StageCell>& taken) {
  for (const std::string_view word : split_text(list, ',')) {
    const std::size_t dot = word.find('.');
    const auto row = index_of_cover(word.substr(0, dot));
    const auto col =
        dot == std::string_view::npos ? std::optional<int>() : index_of_cover(word.substr(dot + 1));
    if (!row || !col) return not_covered(word, "a row and a column, such as 7.1");
    taken.push_back({*row, *col});
  }
  return {};
}

Result<void> take_random(std::string_view words, Cover& cover) {
  const std::size_t colon = words.find(':');
  const auto share = parse_exact<float>(words.substr(0, colon));
  const auto seed = colon == std::string_view::npos ? std::optional<std::uint64_t>(0)
                                                    : parse_exact<std::uint64_t>(words.substr(colon + 1));
  if (!share || !(*share > 0.0F && *share <= 1.0F) || !seed)
    return not_covered(words, "a share above 0 and at most 1, optionally with a seed, such as 0.5 or 0.5:7");
  cover.share = *share;
  cover.seed = *seed;
  return {};
}

Result<void> take_rule(std::string_view rule, Cover& cover) {
  const std::size_t colon = rule.find(':');
  const std::string_view kind = rule.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view() : rule.substr(colon + 1);
  if (rule == "all") {
    cover.all = true;
    return {};
  }
  if (kind == "rows") return take_indices(rest, cover.rows);
  if (kind == "columns") return take_indices(rest, cover.columns);
  if (kind == "cells") return take_cells(rest, cover.cells);
  if (kind == "except") return take_cells(rest, cover.except);
  if (kind == "random") return take_random(rest, cover);
  if (kind == "every") {
    const auto every = parse_exact<int>(rest);
    if (!every || *every < 1 || *every > max_every) return not_covered(rest, "a number from 1 to 1000");
    cover.every = *every;
    return {};
  }
  return not_covered(
      rule,
      "all, rows:I,…, columns:I,…, cells:R.C,…, every:N, random:SHARE or except:R.C,…, joined with +, or none");
}

template <class Item>
void put_in_order(std::vector<Item>& items) {
  std::ranges::sort(items);
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

std::string joined_indices(const std::vector<int>& indices) {
  std::string words;
  for (const int index : indices) words += (words.empty() ? "" : ",") + std::to_string(index);
  return words;
}

std::string joined_cells(const std::vector<StageCell>& cells) {
  std::string words;
  for (const StageCell& cell : cells)
    words += (words.empty() ? "" : ",") + std::to_string(cell.row) + "." + std::to_string(cell.col);
  return words;
}

}  // namespace

std::string format_cover(const Session& session) {
  const Cover& cover = session.cover;
  if (!cover.stage) return std::string(no_cells);
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
  return words.empty() ? std::string(no_cells) : words + "@" + path(*cover.stage);
}

Result<void> parse_cover(Session& session, std::string_view words) {
  Cover cover;
  if (words != no_cells && !words.empty()) {
    const std::size_t at = words.find('@');
    cover.stage = session.selection.at(session.selection.stage);
    if (at != std::string_view::npos) {
      cover.stage = parse_path(words.substr(at + 1));
      if (!cover.stage) {
        return not_covered(words.substr(at + 1),
                           "the path of a stage, such as encoder.layers.0.self.heads.0.weights");
      }
    }
    cover.stage = canonical(session.architecture, normalized(*cover.stage));
    for (const std::string_view rule : split_text(words.substr(0, at), '+')) {
      if (auto ok = take_rule(rule, cover); !ok) return ok;
    }
    put_in_order(cover.rows);
    put_in_order(cover.columns);
    put_in_order(cover.cells);
    put_in_order(cover.except);
  }
  cover.right = std::move(session.cover.right);
  cover.solution = session.cover.solution;
  session.cover = std::move(cover);
  return {};
}

std::string format_answers(const Session& session) {
  const std::vector<StageCell>& right = session.cover.right;
  return right.empty() ? std::string(no_cells) : joined_cells(right);
}

Result<void> parse_answers(Session& session, std::string_view words) {
  std::vector<StageCell> right;
  if (words != no_cells && !words.empty()) {
    if (auto ok = take_cells(words, right); !ok) return ok;
  }
  put_in_order(right);
  session.cover.right = std::move(right);
  return {};
}

}  // namespace headscope
