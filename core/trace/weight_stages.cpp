#include "core/trace/weight_stages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "core/model/attention.h"
#include "core/model/pass_edits.h"
#include "core/trace/derivation.h"
#include "core/trace/number_text.h"
#include "core/trace/patch_stage.h"
#include "core/trace/score_stages.h"
#include "core/trace/sink_share.h"

namespace headscope::stages {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// The scores that one softmax normalises: a row of `masked`, or a column in the variant over queries.
/// Without softmax, in linear attention, a score stands for its exponential.
struct SoftmaxLine {
  bool over_keys;
  std::vector<float> scores;
  std::vector<float> exponents;
  double maximum = 0.0;
  double sum = 0.0;
  std::optional<double> sink = {};  ///< exp(its score − maximum)
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

/// The raw score: from the query and the key, unless it is given by hand, which leaves them unused.
void add_raw_score(Derivation& d) {
  const StageId raw_scores = d.sibling(StageKind::raw);
  if (d.trace.given(raw_scores) != nullptr) {
    d.add_source(raw_scores, d.row, d.col);
    d.add_step("raw", d.number(raw_scores, d.row, d.col), "given by hand: nothing computes it");
    return;
  }
  Derivation way{d.trace, raw_scores, d.row, d.col, {}};
  derive_raw(way);
  d.sheet.strips = std::move(way.sheet.strips);
  d.sheet.sources = std::move(way.sheet.sources);
  d.sheet.steps.push_back(std::move(way.sheet.steps.back()));
}

/// From the query and the key to the masked score, so that one sheet shows a weight's whole derivation.
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

/// A line whose every score is −∞: there is nothing to divide by.
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

/// "“it” (query 7) gives 0.62 to “animal” (key 1)"
std::string giving_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return token_as(trace, id, Axis::query_tokens, "query", cell.row) + " gives " + number_text(cell.value) +
         " to " + token_as(trace, id, Axis::key_tokens, "key", cell.col);
}

/// What interventions do to the weights of a head; null: nothing.
const HeadEdits* edits_of_weights(const Trace& trace, const StageId& id) {
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(id));
  return edits != nullptr && edits->changes_weights() ? edits : nullptr;
}

/// The row of weights that softmax gives. Over queries, each is of a column's scores.
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

/// What is done to the weights of a row, in words.
std::string note_on_edits(const Derivation& d, const HeadEdits& edits) {
  const bool is_given = std::ranges::any_of(edits.weights, [&](const GivenWeight& given) {
    return given.cell == Cell{d.row, d.col};
  });
  const bool row_is_given =
      std::ranges::any_of(edits.weights, [&](const GivenWeight& given) { return given.cell.query == d.row; });
  if (is_given) return "an intervention gives this weight";
  if (row_is_given)
    return "what the weights that are given leave of the row is shared in the old proportions";
  if (edits.is_uniform) return "an intervention makes this head look at all that it sees alike";
  if (!edits.pattern.empty()) return "an intervention takes this head's weights from the held pass";
  return "an intervention in other rows leaves this one as it is";
}

/// What interventions make of the weight that softmax gave.
void edit(Derivation& d, const HeadEdits& edits) {
  std::vector<float> row = softmax_row(d);
  const CombinedMask& mask = d.trace.mask(d.id);
  const std::uint8_t* visible =
      mask.visible.empty() ? nullptr : mask.visible.data() + mask.index(d.id.head, d.row, 0);
  edit_weights(edits, d.row, visible, row, row_sums(d.trace.options().softmax, d.trace.architecture().sinks));
  d.add_computed_strip({"changed weights", row, d.token_names(Axis::key_tokens)});
  d.add_step("after the intervention", static_cast<double>(row[static_cast<std::size_t>(d.col)]),
             note_on_edits(d, edits));
}

}  // namespace

std::string weights_formula(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  const bool sees_all = trace.mask(id).visible.empty();
  std::string own = a.linear_attention
                        ? sees_all ? "score / Σ scores of its row" : "score / Σ visible scores in row"
                    : trace.options().softmax == SoftmaxAxis::queries
                        ? "softmax(masked) over queries: rows need not sum to 1"
                    : a.sinks ? "softmax(masked, sink) over keys"
                              : "softmax(masked) over keys";
  const HeadEdits* edits = edits_of_weights(trace, id);
  if (edits == nullptr) return own;
  const std::string given =
      edits->weights.empty() ? ""
                             : ", " + counted(static_cast<int>(edits->weights.size()), "weight") + " given";
  const std::string source = !edits->pattern.empty() ? "the held pass's weights"
                             : edits->is_uniform     ? "1 / number of visible keys"
                                                     : own;
  return source + given + " (intervention)";
}

std::string weights_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return with_hidden_reason(trace, id, cell, giving_sentence(trace, id, cell));
}

std::string dropped_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return with_hidden_reason(trace, id, cell, giving_sentence(trace, id, cell) + " after dropout");
}

namespace {

/// The sink's part of a row's sum.
void add_sink(Derivation& d, double exponent) {
  d.add_source(StageKind::sink, 0, 0);
  d.add_step("sink", d.number(StageKind::sink, 0, 0), "a learned score that no key has");
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
    d.add_step("share = 1 − Σ weights", static_cast<double>(left_of_one(row)),
               "an intervention takes this head's weights from the held pass");
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
             "the weights of the keys add up to the rest of 1");
}

void derive_weights(Derivation& d) {
  derive_softmax(d);
  if (const HeadEdits* edits = edits_of_weights(d.trace, d.id)) edit(d, *edits);
}

}  // namespace headscope::stages
