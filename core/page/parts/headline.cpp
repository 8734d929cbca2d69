#include "core/page/parts/headline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/measures/measure.h"
#include "core/model/pass_edits.h"
#include "core/page/heads/heads_page.h"
#include "core/page/parts/answers.h"
#include "core/split_text.h"
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
  return quoted_word(in.trace->label(map, axis, token));
}

/// “At “animal”, 0.998.” or, if no key has half of the attention, “Most at “animal”, 0.310, then at “street”,
/// 0.220.” A word that is there more than once is numbered.
std::string answer_of_weights(const PageInputs& in, const StageId& map, int query) {
  const StageNumbers row = in.trace->read_row(map, query);
  std::vector<RankedKey> keys = ranked_keys(row.view, 0);
  std::erase_if(keys, [](const RankedKey& key) { return !(key.weight > 0.0F); });
  if (keys.empty()) return "Nowhere: the mask hides every word from it.";
  const auto share = [&](const RankedKey& key) { return in.number(key.weight); };
  const std::vector<Token>& tokens = in.trace->tokens(map, Axis::key_tokens);
  const auto at = [&](const RankedKey& key) {
    return "at " + quoted(in, map, Axis::key_tokens, key.key) + position_mark(tokens, key.key) + ", " +
           share(key);
  };
  if (in.trace->options().softmax == SoftmaxAxis::queries)
    return "Its largest weight is " + at(keys.front()) +
           "; with softmax over queries, a row is not one whole.";
  constexpr float half = 0.5F;
  constexpr float nearly = 0.99F;
  if (keys.front().weight >= half || keys.size() == 1) return "A" + at(keys.front()).substr(1) + ".";
  if (keys.back().weight >= nearly * keys.front().weight)
    return "Evenly at " + count_text(static_cast<int>(keys.size()), "word") + ", " + share(keys.front()) +
           " each.";
  return "Most " + at(keys[0]) + ", then " + at(keys[1]) + ".";
}

/// What the head was trained to do or does on average, which this row may not show, or that an intervention
/// changes it. May be empty.
std::string role_of_head(const PageInputs& in, PageTools& tools, const StageId& map) {
  const std::string head = "Head " + head_label(in.trace->architecture(), head_of(map));
  const PassEdits* edits = in.trace->edits();
  const HeadEdits* own = edits == nullptr ? nullptr : edits->of(head_of(map));
  if (own != nullptr && (own->changes_weights() || own->scale != 1.0F))
    return "An intervention changes head " + head_label(in.trace->architecture(), head_of(map)) + ".";
  if (is_taught(*in.trace, map))
    return head + " was " + std::string(taught_head_note(*in.trace)) + " to nouns.";
  // Means over a few rows say little.
  constexpr int min_rows = 4;
  if (in.trace->extent(map).rows < min_rows) return {};
  const auto role = learned_role(cheap_head_values(in, tools), {map.layer, map.head});
  if (!role) return {};
  return head + " usually " + std::string(record_of(role->measure).does) + " (" +
         measure_text(role->measure, role->value) + " on average).";
}

}  // namespace

std::string Headline::answer_text() const {
  return join_texts(answer, " ");
}

void add_caveats(Headline& headline, const PageInputs& in, std::optional<int> row_of_last_stack) {
  if (in.is_untrained()) headline.answer.emplace_back("The weights are random, so this means nothing yet.");
  if (!row_of_last_stack) return;
  const WordCount words = in.trace_model ? count_words(*in.trace, *in.trace_model) : WordCount{};
  if (is_guess(*in.trace, *row_of_last_stack) || 2 * words.unknown > words.all)
    headline.answer.emplace_back("Only a guess.");
}

Headline attention_headline(const PageInputs& in, PageTools& tools) {
  const StageId map = shown_weights(in);
  const auto query = selected_query(in, map);
  if (!query) {
    Headline headline{"Where does each word look?", {}};
    if (!in.in_file) headline.answer.emplace_back("Click a word to see where it looks.");
    return headline;
  }
  Headline headline{"Where does " + quoted(in, map, Axis::query_tokens, *query) + " look?", {}};
  if (!can_read(in, tools, map)) return headline;
  headline.answer.push_back(answer_of_weights(in, map, *query));
  if (std::string role = role_of_head(in, tools, map); !role.empty())
    headline.answer.push_back(std::move(role));
  const bool is_of_last = map.stack == in.trace->architecture().last_stack();
  add_caveats(headline, in, is_of_last ? query : std::nullopt);
  return headline;
}

Headline map_headline(const PageInputs& in, PageTools& tools) {
  const StageId map = in.at(in.session.selection.stage);
  if (info(map.kind).is_share) return attention_headline(in, tools);
  constexpr std::array scores{StageKind::raw, StageKind::scaled, StageKind::capped, StageKind::masked};
  const bool is_score = std::ranges::find(scores, map.kind) != scores.end();
  const auto query = selected_query(in, map);
  if (!is_score || !query)
    return {"What are these numbers?",
            {std::string(info(map.kind).title) + ": " + std::string(info(map.kind).meaning)}};
  Headline headline{"Which words match " + quoted(in, map, Axis::query_tokens, *query) + "?", {}};
  if (!can_read(in, tools, map)) return headline;
  const StageNumbers row = in.trace->read_row(map, *query);
  const RankedKey best = ranked_keys(row.view, 0).front();
  if (!std::isfinite(best.weight)) return headline;
  const std::string key = quoted(in, map, Axis::key_tokens, best.key);
  const std::string score = in.number(best.weight);
  // A term added to a score, such as a bias by distance, is no match of query and key.
  constexpr std::size_t query_and_key = 2;
  const bool is_of_both = (map.kind == StageKind::raw || map.kind == StageKind::scaled) &&
                          inputs_of(*in.trace, in.at(StageKind::raw)).size() >= query_and_key;
  headline.answer.push_back(is_of_both
                                ? "Its query fits the key of " + key + " best: a score of " + score + "."
                                : "The highest score is that of " + key + ", " + score + ".");
  add_caveats(headline, in, std::nullopt);
  return headline;
}

}  // namespace headscope
