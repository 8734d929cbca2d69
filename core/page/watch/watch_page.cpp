#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "core/measures/head_scale.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/page_builder.h"
#include "core/page/watch/watched_row.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

namespace step = watch_step;

constexpr std::size_t max_keys = 12;

std::string reason_not_watched(const PageInputs& in) {
  if (!in.trace->has(in.at(StageKind::masked))) return "This pass has no scores of its own here.";
  constexpr std::size_t query_and_key = 2;
  if (inputs_of(*in.trace, in.at(StageKind::raw)).size() < query_and_key)
    return "The scores of this head were given by hand: no query and no key stand behind them.";
  if (in.trace->architecture().linear_attention)
    return "Linear attention has no softmax: its weights are not computed in these steps.";
  if (in.trace->options().softmax == SoftmaxAxis::queries)
    return "The softmax runs over queries here, so a row cannot be computed on its own. Choose softmax over keys.";
  return {};
}

std::vector<float> row_of(const Trace& trace, const StageId& stage, int row) {
  const StageNumbers numbers = trace.read_row(stage, row);
  const auto view = numbers.view.row(0);
  return {view.begin(), view.end()};
}

/// The keys with the greatest weights, in the order of the text.
std::vector<int> listed_keys(const Trace& trace, const StageId& weights, int query) {
  const StageNumbers row = trace.read_row(weights, query);
  std::vector<int> keys;
  for (const RankedKey& each : ranked_keys(row.view, 0)) {
    if (keys.size() == max_keys) break;
    keys.push_back(each.key);
  }
  std::ranges::sort(keys);
  return keys;
}

/// Whether the output is the sum of the weighted values, as far as all of them are listed. Interventions
/// change it.
bool adds_up(const WatchedRow& row) {
  if (row.result.empty() || row.keys.size() < static_cast<std::size_t>(row.n_keys)) return true;
  constexpr double rounding = 1e-4;
  for (std::size_t i = 0; i < row.result.size(); ++i) {
    double sum = 0.0;
    for (const WatchedKey& key : row.keys) sum += static_cast<double>(key.values[i]);
    if (std::fabs(sum - static_cast<double>(row.result[i])) > rounding * std::max(row.max_value, 1.0))
      return false;
  }
  return true;
}

/// The name of a stage within a line: “rotated query”.
std::string name_in_line(const StageId& stage) {
  std::string name(info(stage.kind).title);
  name.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
  return name;
}

WatchedKey watched_key(const PageInputs& in, const WatchedRow& row, int key) {
  const Trace& trace = *in.trace;
  const StageId place = in.at(StageKind::weights);
  WatchedKey each;
  each.key = key;
  each.is_visible = trace.mask(place).sees(place.head, row.query, key);
  each.numbers = row_of(trace, inputs_of(trace, in.at(StageKind::raw)).at(1), key);
  for (std::size_t i = 0; i < std::min(each.numbers.size(), row.numbers.size()); ++i)
    each.products.push_back(row.numbers[i] * each.numbers[i]);
  each.value = row_of(trace, in.at(StageKind::value), key);
  return each;
}

WatchedRow watched_row(const PageInputs& in, int query) {
  const Trace& trace = *in.trace;
  const std::vector<StageId> sources =
      inputs_of(trace, in.at(StageKind::raw));  // the queries and keys as they are multiplied
  WatchedRow row;
  row.query = query;
  row.query_name = name_in_line(sources.at(0));
  row.keys_name = name_in_line(sources.at(1)) + "s";
  row.numbers = row_of(trace, sources.at(0), query);
  const auto read = [&](StageKind kind) { return row_of(trace, in.at(kind), query); };
  const std::vector<float> raw = read(StageKind::raw);
  const std::vector<float> scaled = read(StageKind::scaled);
  const std::vector<float> masked = read(StageKind::masked);
  const std::vector<float> weights = read(StageKind::weights);
  const bool has_dropout = trace.has(in.at(StageKind::dropped));
  const std::vector<float> used = has_dropout ? read(StageKind::dropped) : weights;
  row.n_keys = static_cast<int>(weights.size());
  const StageId place = in.at(StageKind::weights);
  for (int key = 0; key < row.n_keys; ++key)
    row.n_visible += trace.mask(place).sees(place.head, query, key) ? 1 : 0;
  row.greatest = static_cast<double>(*std::ranges::max_element(masked));
  const StageId sink_score = in.at(StageKind::sink);
  const bool has_sink = trace.has(sink_score);
  const double sink = has_sink ? trace.number(sink_score, 0, 0) : 0.0;
  if (has_sink) row.greatest = std::max(row.greatest, sink);
  const bool sees_nothing = !std::isfinite(row.greatest);
  for (const float score : masked)
    row.sum += sees_nothing ? 0.0 : std::exp(static_cast<double>(score) - row.greatest);
  if (has_sink) row.sum += std::exp(sink - row.greatest);
  for (const int key : listed_keys(trace, in.at(StageKind::weights), query)) {
    WatchedKey each = watched_key(in, row, key);
    const auto at = static_cast<std::size_t>(key);
    each.raw = static_cast<double>(raw[at]);
    each.scaled = static_cast<double>(scaled[at]);
    each.masked = static_cast<double>(masked[at]);
    each.exponential = std::isfinite(each.masked) ? std::exp(each.masked - row.greatest) : 0.0;
    each.weight = static_cast<double>(weights[at]);
    each.used = used[at];
    constexpr double rounding = 1e-4;
    const double share = row.sum > 0.0 ? each.exponential / row.sum : 0.0;
    row.agrees = row.agrees && std::fabs(share - each.weight) < rounding;
    for (const float number : each.value) {
      each.values.push_back(number * each.used);
      row.max_value = std::max(row.max_value, std::fabs(static_cast<double>(number)));
    }
    row.keys.push_back(std::move(each));
  }
  for (const float each : weights) row.others += static_cast<double>(each);
  for (const WatchedKey& key : row.keys) row.others -= key.weight;
  if (has_sink && !sees_nothing) row.sink = std::exp(sink - row.greatest) / row.sum;
  if (trace.has(in.at(StageKind::output))) row.result = read(StageKind::output);
  row.agrees = row.agrees && adds_up(row);
  return row;
}

/// Describes how raw scores become scaled scores: "Each score is multiplied by 1/√16 = 0.25".
std::string scaling_text(const PageInputs& in) {
  if (in.trace->architecture().softcap > 0.0F) return "Each score is scaled and then limited by the softcap";
  const ScoreFactors factors = score_factors(*in.trace, in.at(StageKind::raw));
  const double used = factors.is_divided ? factors.divided : factors.undivided;
  const double plain = 1.0 / std::sqrt(static_cast<double>(factors.width));
  const bool is_plain = std::fabs(used - plain) < 1e-9;
  return "Each score is multiplied by " + (is_plain ? "1/√" + std::to_string(factors.width) + " = " : "") +
         number_text(used, 4);
}

std::string sentence_of(const PageInputs& in, const WatchedRow& row, int now) {
  const std::string word =
      quoted_word(in.trace->label(in.at(StageKind::weights), Axis::query_tokens, row.query));
  const int width = static_cast<int>(row.numbers.size());
  switch (now) {
    case step::meet:
      return "The query of " + word + " meets the key of every word" +
             (in.trace->has(in.at(StageKind::rotated_query)) ? ", both rotated by their positions." : ".");
    case step::multiply:
      return "Query and key are multiplied number by number.";
    case step::add:
      return "The " + std::to_string(width) + " products of each key are added up: the raw scores.";
    case step::scale:
      return std::ranges::any_of(row.keys, [](const WatchedKey& key) { return key.raw != key.scaled; })
                 ? scaling_text(in) + ", which decides how sharply the row will choose."
                 : "Nothing scales the scores here: they stay as they are.";
    case step::mask:
      if (!std::ranges::all_of(row.keys, &WatchedKey::is_visible))
        return "The mask hides the words that this row must not see.";
      return adds_any(row) ? "A number is added to each score, such as a bias for the distance."
                           : "No mask hides a word here.";
    case step::exponent:
      if (!std::isfinite(row.greatest)) return "The mask hides every word from this row: no score is left.";
      return "The exponential is taken of each score s minus the largest, max = " + in.number(row.greatest) +
             (row.sink && row.is_sink_greatest() ? ", the sink's" : "") +
             ": no number gets too large, and the weights stay the same.";
    case step::divide:
      if (!std::isfinite(row.greatest)) return "The mask hides every word from this row: all weights are 0.";
      if (!row.agrees)
        return "Each exponential is divided by the sum of the row; then an intervention changes the weights.";
      return "Each exponential is divided by the sum of the row, " + in.number(row.sum) +
             (row.sink ? ": the weights, which add up to 1 with the share of the sink."
                       : ": the weights, which add up to 1.");
    case step::weigh:
      return in.trace->has(in.at(StageKind::dropped))
                 ? "Dropout sets some weights to 0 and enlarges the others; each value is multiplied by what is left."
                 : "The value of each word is multiplied by its weight.";
    case step::output:
      return "The weighted values are added up: what this head hands on for " + word + ".";
  }
  return {};
}

bool can_read_row(const PageInputs& in, PageTools& tools) {
  using enum StageKind;
  std::vector<StageId> needed = inputs_of(*in.trace, in.at(raw));
  for (const StageKind kind : {raw, scaled, masked, weights, dropped, value, StageKind::output})
    needed.push_back(in.at(kind));
  return std::ranges::all_of(
      needed, [&](const StageId& stage) { return !in.trace->has(stage) || can_read(in, tools, stage); });
}

/// The selected row, or the last one, which sees the most keys under a causal mask.
int watched_query(const PageInputs& in) {
  const int last = in.trace->extent(in.at(StageKind::weights)).rows - 1;
  return std::clamp(in.session.selection.token.value_or(last), 0, last);
}

}  // namespace

Headline watch_headline(const PageInputs& in, PageTools& tools) {
  const StageId weights = in.at(StageKind::weights);
  if (!reason_not_watched(in).empty() || !can_read_row(in, tools)) return {};
  const int query = watched_query(in);
  const int now = std::clamp(in.session.watch_step, 1, last_watch_step);
  Headline headline{"How does " + quoted_word(in.trace->label(weights, Axis::query_tokens, query)) +
                        " find out where to look?",
                    {sentence_of(in, watched_row(in, query), now)}};
  const bool is_of_last = weights.stack == in.trace->architecture().last_stack();
  if (now >= step::divide) add_caveats(headline, in, is_of_last ? std::optional(query) : std::nullopt);
  return headline;
}

Page watch_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const StageId weights = in.at(StageKind::weights);
  const std::string reason = reason_not_watched(in);
  if (!reason.empty() || !can_read_row(in, tools)) {
    page.line({page.bold("A row of attention", page_size::title), page.muted(place_text(*in.trace, weights)),
               guess_word(*in.trace, weights, page.theme())},
              12.0F);
    return page.instead(reason.empty() ? unreadable_text(tools) : reason);
  }
  const WatchedRow row = watched_row(in, watched_query(in));
  const int now = std::clamp(in.session.watch_step, 1, last_watch_step);
  page.line({page.muted("step " + std::to_string(now) + " of " + std::to_string(last_watch_step) + " · " +
                        place_text(*in.trace, weights)),
             guess_word(*in.trace, weights, page.theme())},
            12.0F);
  draw_watched_row(in, tools, row, size.height - page.y() - 40.0F, page);
  page.space(page_size::spacing);
  const int n_listed = static_cast<int>(row.keys.size());
  if (row.n_keys > n_listed && row.n_visible > n_listed)
    page.paragraph("The list has the " + std::to_string(n_listed) + " words with the largest weights, of " +
                   grouped(row.n_visible) +
                   (row.n_visible < row.n_keys ? " that the mask leaves visible." : "."));
  else if (row.n_keys > n_listed)
    page.paragraph("The list has every word that the mask leaves visible (" + std::to_string(row.n_visible) +
                   " of " + grouped(row.n_keys) + "), and some that it hides.");
  if (!row.agrees && now >= step::divide)
    page.paragraph(
        "An intervention or a given weight changes this row after its softmax: the weights are those of the pass.");
  return page.take();
}

}  // namespace headscope
