#include "core/trace/weight_stages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/attention.h"
#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"
#include "core/trace/intervention_text.h"
#include "core/trace/score_stages.h"
#include "core/trace/trace.h"

namespace headscope::stages {
namespace {

/// Whether a head uses the weights of another pass, whose rows leave a different share to the sink.
bool holds_pattern(const Trace& trace, const StageId& id) {
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(id));
  return edits != nullptr && !edits->pattern.empty();
}

/// The difference between 1 and the sum of a row of weights. 0 if the sum exceeds 1.
float left_of_one(std::span<const float> weights) {
  double sum = 0.0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  return static_cast<float>(std::max(1.0 - sum, 0.0));
}

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// The scores that one softmax normalises: a row of `masked`, or a column in the variant over queries. Linear
/// attention has no softmax; there, the scores take the place of their exponentials.
struct SoftmaxLine {
  bool over_keys;
  std::vector<float> scores;
  std::vector<float> exponents;
  double maximum = 0.0;
  double sum = 0.0;
  std::optional<double> sink = {};  ///< exp(score of the sink − maximum); no value if there is no sink
};

SoftmaxLine softmax_line(const Derivation& d) {
  const bool is_linear = d.trace.architecture().linear_attention;
  SoftmaxLine line{
      .over_keys = d.trace.options().softmax == SoftmaxAxis::keys, .scores = {}, .exponents = {}};
  line.scores = line.over_keys ? d.row_of(StageKind::masked, d.row) : d.column_of(StageKind::masked, d.col);
  line.maximum = *std::max_element(line.scores.begin(), line.scores.end());
  if (line.over_keys && d.has(StageKind::sink)) {
    const double sink = d.number(StageKind::sink, 0, 0);
    line.maximum = std::max(line.maximum, sink);
    line.sink = std::exp(sink - line.maximum);
    line.sum = *line.sink;
  }
  for (const float score : line.scores) {
    const double own = score;
    const double exponent = score == minus_infinity ? 0.0 : is_linear ? own : std::exp(own - line.maximum);
    line.exponents.push_back(static_cast<float>(exponent));
    line.sum += exponent;
  }
  return line;
}

bool nothing_is_visible(const Derivation& d, bool over_keys) {
  const CombinedMask& mask = d.trace.mask(d.id);
  const Extent size = d.trace.extent(d.id);
  const int n = over_keys ? size.cols : size.rows;
  for (int i = 0; i < n; ++i) {
    if (mask.is_visible(d.id.head, over_keys ? d.row : i, over_keys ? i : d.col)) return false;
  }
  return true;
}

/// Derives the raw score from the query and the key. If the score is given by hand, only states it, because
/// the query and the key are then unused.
void add_raw_score(Derivation& d) {
  const StageId raw_scores = d.sibling(StageKind::raw);
  if (d.trace.given(raw_scores) != nullptr) {
    d.add_source(raw_scores, d.row, d.col);
    d.add_cell("raw", raw_scores, d.row, d.col, "given by hand, not computed");
    return;
  }
  Derivation way{d.trace, raw_scores, d.row, d.col, {}};
  derive_raw(way);
  d.sheet.strips = std::move(way.sheet.strips);
  d.sheet.sources = std::move(way.sheet.sources);
  d.sheet.steps.push_back(std::move(way.sheet.steps.back()));
}

/// Derives the masked score from the query and the key, which puts the whole derivation of a weight on one
/// sheet.
void add_way_to_score(Derivation& d) {
  add_raw_score(d);

  if (d.has(StageKind::scaled)) {
    Derivation scaled{d.trace, d.sibling(StageKind::scaled), d.row, d.col, {}};
    derive_scaled(scaled);
    d.sheet.steps.push_back(scaled.sheet.steps.back());
  }

  if (d.has(StageKind::capped)) {
    Derivation capped{d.trace, d.sibling(StageKind::capped), d.row, d.col, {}};
    derive_capped(capped);
    d.sheet.steps.push_back(capped.sheet.steps.back());
  }

  Derivation masked{d.trace, d.sibling(StageKind::masked), d.row, d.col, {}};
  derive_masked(masked);
  d.sheet.steps.push_back(masked.sheet.steps.back());
}

/// Finishes a line in which every score is −∞ and there is nothing to divide by.
void finish_empty_line(Derivation& d, const SoftmaxLine& line) {
  const std::string who =
      line.over_keys ? "Every key is hidden from this query" : "This key is hidden from every query";
  d.add_step(line.over_keys ? "row maximum" : "column maximum", line.maximum);
  d.add_step("weight", 0.0, who + ": all its weights are 0 here. PyTorch gives NaN (0 divided by 0)");
}

std::string note_on_weight(const Derivation& d, const SoftmaxLine& line, double weight) {
  const float mask_value = d.trace.mask(d.id).value;
  if (std::isfinite(mask_value) && nothing_is_visible(d, line.over_keys)) {
    return std::string(line.over_keys ? "Every key is hidden from this query"
                                      : "This key is hidden from every query") +
           ": all scores are " + number_text(mask_value) + ", so the weights are uniform";
  }
  const auto reason = hidden_reason(d.trace, d.id, d.row, d.col);
  if (!reason.empty() && weight == 0.0) return "exactly 0: the cell is hidden (" + reason + ")";
  if (!reason.empty()) {
    return "hidden (" + reason + "), but " + number_text(mask_value) +
           " is not far enough below the other scores to make the weight 0";
  }
  return line.over_keys ? "" : "over queries: each column sums to 1, but rows need not";
}

/// A sentence such as "“it” (query 7) gives 0.62 to “animal” (key 1)".
std::string giving_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return token_as(trace, id, Axis::query_tokens, "query", cell.row) + " gives " + number_text(cell.value) +
         " to " + token_as(trace, id, Axis::key_tokens, "key", cell.col);
}

/// The interventions in the weights of a head. Null if there are none.
const HeadEdits* edits_of_weights(const Trace& trace, const StageId& id) {
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(id));
  return edits != nullptr && edits->changes_weights() ? edits : nullptr;
}

/// The row of weights that softmax gives. With softmax over queries, each weight is normalised over its
/// column.
std::vector<float> softmax_row(const Derivation& d) {
  std::vector<float> row(static_cast<std::size_t>(d.trace.extent(d.id).cols));
  for (std::size_t key = 0; key < row.size(); ++key) {
    Derivation cell{d.trace, d.id, d.row, static_cast<int>(key), {}};
    const SoftmaxLine line = softmax_line(cell);
    const std::size_t at = line.over_keys ? key : static_cast<std::size_t>(d.row);
    row[key] = line.sum > 0.0 ? static_cast<float>(static_cast<double>(line.exponents[at]) / line.sum) : 0.0F;
    if (!line.over_keys) continue;
    for (std::size_t other = 0; other < row.size(); ++other) {
      const auto exponent = static_cast<double>(line.exponents[other]);
      row[other] = line.sum > 0.0 ? static_cast<float>(exponent / line.sum) : 0.0F;
    }
    break;
  }
  return row;
}

RowSums sums_of(const Trace& trace) {
  return row_sums(trace.options().softmax, trace.architecture().sinks);
}

/// The sum of a row of weights as a text: "1", or "0.934, what the sink leaves of 1".
std::string total_text(const Trace& trace, double total) {
  return number_text(total) + (sums_of(trace) == RowSums::less ? ", what the sink leaves of 1" : "");
}

/// Says where the weights of a row come from if none of them is given.
std::string note_on_origin(const Derivation& d, const WeightChange& change) {
  constexpr double rounding = 1e-4;
  switch (change.origin) {
    case WeightOrigin::own:
      return "an intervention in other rows leaves this row unchanged";
    case WeightOrigin::uniform:
      return change.n_visible > 0 ? "an intervention makes this head attend to all visible keys equally"
                                  : "the mask hides every key, so there is nothing to share equally";
    case WeightOrigin::held: {
      std::string taken = "an intervention takes this row from the held pass";
      if (std::abs(change.held - change.total) < rounding) return taken;
      return taken + ", where these keys have " + number_text(change.held) +
             " in all; it is scaled to the sum of the row, " + total_text(d.trace, change.total);
    }
    case WeightOrigin::no_counterpart:
      return "the held text has no such word here, so the row keeps the weights of its own scores";
    case WeightOrigin::nothing_held:
      return "the held pass has no weight on any key that is visible here, so the row keeps the weights of its own scores";
  }
  return {};
}

/// Says how a given weight is used.
std::string note_on_given(const Derivation& d, const WeightChange& change, double wanted, double weight) {
  if (!d.trace.mask(d.id).is_visible(d.id.head, d.row, d.col)) {
    return "the mask hides this cell (" + hidden_reason(d.trace, d.id, d.row, d.col) +
           "), so the weight given here is not used";
  }
  constexpr double rounding = 1e-6;
  if (change.given == 0.0 && change.others <= 0.0 && change.total > 0.0)
    return "an intervention gives this weight; no key of the row has any weight then, so the row adds up to 0";
  if (std::abs(weight - wanted) < rounding) return "an intervention gives this weight";
  const bool is_one = change.n_given == 1;
  const std::string given =
      is_one ? "the given weight" : "the given weights, " + number_text(change.given) + " in all,";
  const std::string sum = total_text(d.trace, change.total);
  if (change.others <= 0.0) {
    return "no other key of the row has any weight, so " + given + (is_one ? " is" : " are") +
           " scaled to the sum of the row: " + sum;
  }
  return given + (is_one ? " exceeds the sum of the row and is" : " exceed the sum of the row and are") +
         " scaled to it: " + sum;
}

/// Says how a weight that is not itself given is changed.
std::string note_on_others(const Derivation& d, const WeightChange& change) {
  if (change.n_given > 0) {
    return change.fills_row ? "the given weights take up the whole sum of the row"
                            : "what the given weights leave of the row is shared in the old proportions";
  }
  if (change.n_hidden == 0) return note_on_origin(d, change);
  const std::string unused =
      change.n_hidden == 1 ? "the weight given in this row is not used, because the mask hides its cell"
                           : "the weights given in this row are not used, because the mask hides their cells";
  return change.origin == WeightOrigin::own ? unused : note_on_origin(d, change) + "; " + unused;
}

/// Adds the numbers from which a weight is made if it is given or if its row is not the head's own.
void add_changed_parts(Derivation& d, const HeadEdits& edits, const WeightChange& change,
                       const GivenWeight* given) {
  if (given != nullptr) {
    d.add_step("given", static_cast<double>(given->weight));
    return;
  }
  if (change.origin == WeightOrigin::held) {
    const std::size_t at = static_cast<std::size_t>(d.row) * static_cast<std::size_t>(edits.n_keys) +
                           static_cast<std::size_t>(d.col);
    d.add_step("in the held pass", static_cast<double>(edits.pattern[at]));
  }
  if (change.origin != WeightOrigin::uniform || change.n_visible == 0) return;
  const RowSums sums = sums_of(d.trace);
  if (sums == RowSums::less) d.add_step("1 − share of the sink", change.total, "what the keys share");
  if (sums == RowSums::any) d.add_step("Σ of the row's weights", change.total, "what the keys share");
  d.add_step("visible keys", change.n_visible);
}

/// The change that interventions make to a row.
WeightChange change_of_row(const Derivation& d) {
  Derivation cell{d.trace, at_kind(d.id, weights), d.row, 0, {}};
  std::vector<float> row = softmax_row(cell);
  const HeadEdits* edits = edits_of_weights(d.trace, d.id);
  return edit_weights(*edits, d.row, d.trace.mask(d.id).keys(d.id.head, d.row), row, sums_of(d.trace));
}

/// Derives the weight that results from applying the interventions to the softmax's weight.
void edit(Derivation& d, const HeadEdits& edits) {
  std::vector<float> row = softmax_row(d);
  const WeightChange change =
      edit_weights(edits, d.row, d.trace.mask(d.id).keys(d.id.head, d.row), row, sums_of(d.trace));
  const auto found = std::ranges::find(edits.weights, Cell{d.row, d.col}, &GivenWeight::cell);
  const GivenWeight* given = found == edits.weights.end() ? nullptr : &*found;
  const auto weight = static_cast<double>(row[static_cast<std::size_t>(d.col)]);
  d.add_computed_strip({"changed weights", row, d.token_names(Axis::key_tokens)});
  add_changed_parts(d, edits, change, given);
  d.add_step("after the intervention", weight,
             given != nullptr ? note_on_given(d, change, static_cast<double>(given->weight), weight)
                              : note_on_others(d, change));
}

/// The formula for the weight of each visible key in a uniform head.
std::string uniform_formula(const Trace& trace) {
  const char* shared = sums_of(trace) == RowSums::one    ? "1"
                       : sums_of(trace) == RowSums::less ? "(1 − share of the sink)"
                                                         : "Σ of the row's weights";
  return shared + std::string(" / number of visible keys");
}

/// The formula "the held pass's weights", with the number of rows if these are not all.
std::string held_formula(const HeadEdits& edits, const std::string& own) {
  const int n = n_rows_held(edits);
  const int all = static_cast<int>(edits.pattern.size()) / edits.n_keys;
  const std::string held = "the held pass's weights";
  return n == all
             ? held
             : held + " in the " + counted(n, "row") +
                   " whose word, or another in its place, is in the held text, " + own + " in the others";
}

}  // namespace

RowMaker sink_shares(const Trace& trace, const StageId& id) {
  if (holds_pattern(trace, id)) {
    const StageId shown = at_kind(id, weights);
    return [&trace, shown](int first, int n, float* out) {
      const StageNumbers rows = trace.read(shown, {first, 0, n, trace.extent(shown).cols});
      for (int row = 0; row < n; ++row) *out++ = left_of_one(rows.view.row(row));
    };
  }
  const StageId scores = at_kind(id, masked);
  const auto sink_score = static_cast<double>(trace.number(at_kind(id, sink), 0, 0));
  return [&trace, scores, sink_score](int first, int n, float* out) {
    const StageNumbers rows = trace.read(scores, {first, 0, n, trace.extent(scores).cols});
    for (int row = 0; row < n; ++row) {
      const auto line = rows.view.row(row);
      const double maximum = std::max(static_cast<double>(*std::ranges::max_element(line)), sink_score);
      double sum = std::exp(sink_score - maximum);
      const double own = sum;
      for (const float score : line) sum += std::exp(static_cast<double>(score) - maximum);
      *out++ = static_cast<float>(own / sum);
    }
  };
}

std::string sink_share_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return token_as(trace, id, Axis::query_tokens, "query", cell.row) + " gives " + number_text(cell.value) +
         " to the sink, which adds no value";
}

// The stage of the weights after dropout.

std::string dropped_formula(const Trace& trace, const StageId& /*id*/) {
  return "A, each dropped with p = " + number_text(trace.options().dropout) + ", the others / (1 − p)";
}

void derive_dropped(Derivation& d) {
  const AttentionOptions& options = d.trace.options();
  const double weight = d.number(StageKind::weights, d.row, d.col);
  std::vector<float> factors(static_cast<std::size_t>(d.trace.extent(d.id).cols));
  dropout_of(options, d.id.stack, d.id.layer, d.id.attention).factors(d.id.head, d.row, factors);
  const double factor = factors[static_cast<std::size_t>(d.col)];
  d.add_source(StageKind::weights, d.row, d.col);
  d.add_cell("weight", StageKind::weights, d.row, d.col);
  d.add_step(
      factor == 0.0 ? "removed" : "1 / (1 − p)", factor,
      "dropout with p = " + number_text(options.dropout) + ", seed " + std::to_string(options.dropout_seed));
  d.add_step("dropped = weight × that", weight * factor);
}

std::string weights_formula(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  const bool sees_all = trace.mask(id).visible.empty();
  const std::string scores = sees_all ? "scores" : "masked";
  std::string own = a.linear_attention
                        ? sees_all ? "score / Σ scores of its row" : "score / Σ visible scores of its row"
                    : trace.options().softmax == SoftmaxAxis::queries
                        ? "softmax(" + scores + ") over queries: rows need not sum to 1"
                    : a.sinks ? "softmax(" + scores + ", sink) over keys"
                              : "softmax(" + scores + ") over keys";
  const HeadEdits* edits = edits_of_weights(trace, id);
  const std::string before_dropout = trace.options().drops() ? ", before dropout" : "";
  if (edits == nullptr) return own + before_dropout;
  const std::string given =
      edits->weights.empty() ? "" : ", " + given_weights_text(*edits, trace.mask(id), id.head);
  const std::string source = !edits->pattern.empty() ? held_formula(*edits, own)
                             : edits->is_uniform     ? uniform_formula(trace)
                                                     : own;
  return source + given + " (intervention)" + before_dropout;
}

std::string weights_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  const char* when = trace.options().drops() ? " before dropout" : "";
  return with_hidden_reason(trace, id, cell, giving_sentence(trace, id, cell) + when);
}

std::string dropped_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return with_hidden_reason(trace, id, cell, giving_sentence(trace, id, cell) + " after dropout");
}

namespace {

/// Adds the sink's share of the sum of a row.
void add_sink(Derivation& d, double exponent) {
  d.add_source(StageKind::sink, 0, 0);
  d.add_cell("sink", StageKind::sink, 0, 0, "a learned score that belongs to no key");
  d.add_step("exp(sink − row maximum)", exponent);
}

void derive_softmax(Derivation& d) {
  add_way_to_score(d);
  const SoftmaxLine line = softmax_line(d);
  if (d.trace.architecture().linear_attention) {
    const auto score = static_cast<double>(line.exponents[static_cast<std::size_t>(d.col)]);
    return derive_share(d, line.exponents, line.sum, note_on_weight(d, line, score));
  }
  const std::string of_line = line.over_keys ? "row maximum" : "column maximum";
  const Axis along = line.over_keys ? Axis::key_tokens : Axis::query_tokens;
  const std::string of_token = line.over_keys ? "masked row of " + d.quoted(d.row)
                                              : "masked column of " + d.quoted(d.col, Axis::key_tokens);
  d.add_strip({of_token, line.scores, d.token_names(along)});
  d.add_computed_strip({"exp(masked − " + of_line + ")", line.exponents, d.token_names(along)});
  if (line.over_keys) {
    d.add_source(StageKind::masked, d.row, std::nullopt);
  } else {
    d.add_source(StageKind::masked, std::nullopt, d.col);
  }
  if (line.maximum == minus_infinity) {
    finish_empty_line(d, line);
    return;
  }
  const double score = line.scores[static_cast<std::size_t>(line.over_keys ? d.col : d.row)];
  const double exponent = std::exp(score - line.maximum);
  if (line.sink) add_sink(d, *line.sink);
  const std::string over = line.sink        ? "Σ over keys and the sink"
                           : line.over_keys ? "Σ over keys"
                                            : "Σ over queries";
  d.add_step(of_line, line.maximum);
  d.add_step("exp(masked − " + of_line + ")", exponent);
  d.add_step(over, line.sum);
  const double weight = exponent / line.sum;
  d.add_step("weight = exp / " + over, weight, note_on_weight(d, line, weight));
}

}  // namespace

void derive_sink_share(Derivation& d) {
  if (holds_pattern(d.trace, d.id)) {
    const std::vector<float> row = d.row_of(StageKind::weights, d.row);
    d.add_strip({"weights of " + d.quoted(d.row), row, d.token_names(Axis::key_tokens)});
    d.add_source(StageKind::weights, d.row, std::nullopt);
    const WeightChange change = change_of_row(d);
    d.add_step("share = 1 − Σ weights", static_cast<double>(left_of_one(row)), note_on_origin(d, change));
    return;
  }
  const SoftmaxLine line = softmax_line(d);
  const std::vector<std::string> keys = d.token_names(Axis::key_tokens);
  d.add_strip({"masked row of " + d.quoted(d.row), line.scores, keys});
  d.add_computed_strip({"exp(masked − row maximum)", line.exponents, keys});
  d.add_source(StageKind::masked, d.row, std::nullopt);
  d.add_step("row maximum", line.maximum, "of the scores and the sink");
  add_sink(d, *line.sink);
  d.add_step("Σ over keys and the sink", line.sum);
  d.add_step("share = exp(sink − row maximum) / that Σ", *line.sink / line.sum,
             "the weights of the keys add up to the rest");
}

void derive_weights(Derivation& d) {
  derive_softmax(d);
  if (const HeadEdits* edits = edits_of_weights(d.trace, d.id)) edit(d, *edits);
}

}  // namespace headscope::stages
