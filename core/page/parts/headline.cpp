#include "core/page/parts/headline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/measures/measure_table.h"
#include "core/page/heads/heads_page.h"
#include "core/page/parts/readable.h"
#include "core/text/number_text.h"
#include "core/trace/guess.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

/// The selected query, if the map has it.
std::optional<int> selected_query(const PageInputs& in, const StageId& map) {
  const std::optional<int> token = in.session.selection.token;
  if (!in.trace->has(map) || !token || *token >= in.trace->extent(map).rows) return std::nullopt;
  return token;
}

std::string quoted(const PageInputs& in, const StageId& map, Axis axis, int token) {
  return "“" + in.trace->label(map, axis, token) + "”";
}

/// “At “animal”, 0.998.” or, if no key has half of the attention, “Mostly at “animal”, 0.31, then at
/// “street”, 0.22.”
std::string answer_of_weights(const PageInputs& in, const StageId& map, int query) {
  const StageNumbers row = in.trace->read_row(map, query);
  const std::vector<RankedKey> keys = ranked_keys(row.view, 0);
  if (keys.empty() || !(keys.front().weight > 0.0F)) return "Nowhere: the mask hides every word from it.";
  const auto at = [&](const RankedKey& key) {
    return "at " + quoted(in, map, Axis::key_tokens, key.key) + ", " +
           share_text(in.session.picture, static_cast<double>(key.weight));
  };
  constexpr float half = 0.5F;
  if (keys.front().weight >= half || keys.size() == 1) return "A" + at(keys.front()).substr(1) + ".";
  return "Mostly " + at(keys[0]) + ", then " + at(keys[1]) + ".";
}

/// What the selected head was trained to do or has learned to do. Empty if neither stands out.
std::string role_of_head(const PageInputs& in, PageTools& tools, const StageId& map) {
  const std::string head = "Head " + head_label(in.trace->architecture(), head_of(map));
  if (is_taught(*in.trace, map)) return head + " was " + std::string(taught_text(*in.trace)) + " to nouns.";
  const auto role = learned_role(quick_head_values(in, tools), {map.layer, map.head});
  return role ? head + " " + std::string(record_of(role->measure).does) + "." : "";
}

/// Adds why the numbers prove nothing, if they do not.
void add_doubt(const PageInputs& in, int query, std::vector<std::string>& answer) {
  if (in.is_untrained()) answer.emplace_back("The weights are random, so this means nothing yet.");
  if (is_guess(*in.trace, query)) answer.emplace_back("Only a guess.");
}

}  // namespace

std::string Headline::text() const {
  std::string all = question;
  for (const std::string& sentence : answer) all += " " + sentence;
  return all;
}

Headline looks_headline(const PageInputs& in, PageTools& tools) {
  const StageId map = shown_weights(in);
  const auto query = selected_query(in, map);
  if (!query) return {"Where does each word look?", {"Click a word to see where it looks."}};
  Headline headline{"Where does " + quoted(in, map, Axis::query_tokens, *query) + " look?", {}};
  if (!can_read(in, tools, map)) return headline;
  headline.answer.push_back(answer_of_weights(in, map, *query));
  const bool is_of_last = map.stack == in.trace->architecture().last_stack();
  if (std::string role = role_of_head(in, tools, map); !role.empty())
    headline.answer.push_back(std::move(role));
  if (is_of_last) add_doubt(in, *query, headline.answer);
  return headline;
}

Headline map_headline(const PageInputs& in, PageTools& tools) {
  const StageId map = in.at(in.session.selection.stage);
  if (info(map.kind).is_share) return looks_headline(in, tools);
  constexpr std::array scores{StageKind::raw, StageKind::scaled, StageKind::capped, StageKind::masked};
  const bool is_score = std::ranges::find(scores, map.kind) != scores.end();
  const auto query = selected_query(in, map);
  if (!is_score || !query)
    return {std::string(info(map.kind).title) + ":", {std::string(info(map.kind).meaning)}};
  Headline headline{"Which words match " + quoted(in, map, Axis::query_tokens, *query) + "?", {}};
  if (!can_read(in, tools, map)) return headline;
  const StageNumbers row = in.trace->read_row(map, *query);
  const RankedKey best = ranked_keys(row.view, 0).front();
  if (!std::isfinite(best.weight)) return headline;
  headline.answer.push_back("Its query fits the key of " + quoted(in, map, Axis::key_tokens, best.key) +
                            " best: a score of " + decimals_text(static_cast<double>(best.weight), 2) + ".");
  if (in.is_untrained()) headline.answer.emplace_back("The weights are random, so this means nothing yet.");
  return headline;
}

}  // namespace headscope
