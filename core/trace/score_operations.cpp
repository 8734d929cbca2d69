#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "core/model/attention.h"
#include "core/model/model.h"
#include "core/model/positions.h"
#include "core/model/rotary.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

std::string name_of(const StageId& id) {
  return std::string(info(id.kind).name);
}

std::string scores_formula(const Trace& trace, const StageId& id) {
  return input_symbol(trace, id) + " " + input_symbol(trace, id, 1) + "ᵀ";
}

void derive_scores(Derivation& d) {
  const StageId query = d.input(0), key = d.input(1);
  const std::string q = symbol_of_row(query), k = symbol_of_row(key);
  Explanation::Strip asks = d.read_row(q + " " + d.quoted_row(), query, d.row);
  Explanation::Strip found = d.read_row(k + " " + d.quoted_key(), key, d.col);
  const double sum = d.add_products(std::move(asks), std::move(found), q + " × " + k);
  d.add_step("raw = Σ " + q + " × " + k, sum);
}

std::string scale_formula(const Trace& trace, const StageId& id) {
  return "raw" + score_scaling_text(trace, id) + (trace.options().scale ? "" : " (scaling is off)");
}

void derive_scale(Derivation& d) {
  const AttentionOptions& options = d.trace.options();
  const Architecture& a = d.trace.architecture();
  const StageId from = d.input(0);
  const double root = std::sqrt(static_cast<double>(a.head_width(d.id.layer)));
  const double own = a.score_scale;
  const double factor = !options.scale ? 1.0 : own > 0.0 ? own : 1.0 / root;
  const double temperature = options.temperature;
  const double by_yarn = score_amplitude(a, d.id.attention, d.id.layer);
  const double raw =
      d.read_cell("raw", from, d.row, d.col, d.trace.given(from) != nullptr ? "given by hand" : "");
  if (by_yarn != 1.0) {
    d.add_step(
        "m² = (" + yarn_factor_text(a.rotary) + ")²", by_yarn,
        "YaRN's factor for all scores if keys are made from a latent, as in DeepSeek-V3; otherwise m is in the cosines and sines");
  }
  if (options.scale && own > 0.0)
    d.add_step("the model's scale", own, "in place of 1/√d_head, which would be " + number_text(1.0 / root));
  if (options.scale && own == 0.0)
    d.add_step("√" + std::to_string(a.head_width(d.id.layer)), root, "√d_head");
  if (options.temperature != 1.0F) d.add_step("τ", temperature, "the attention temperature");
  d.add_step("scaled = raw" + score_scaling_text(d.trace, d.id), raw * by_yarn * factor / temperature,
             options.scale ? "" : "scaling of the scores is off");
}

/// The formula of the cap, applied to the scores.
std::string cap_formula(const Trace& trace, const StageId& id) {
  const std::string cap = number_text(trace.architecture().softcap);
  return cap + " · tanh(" + name_of(trace.graph().inputs(id).front()) + " / " + cap + ")";
}

void derive_cap(Derivation& d) {
  const StageId from = d.input(0);
  const double cap = d.trace.architecture().softcap;
  const std::string c = number_text(cap);
  const double score = d.read_cell(name_of(from), from, d.row, d.col);
  d.add_step(name_of(from) + " / " + c, score / cap);
  d.add_step("tanh of that", std::tanh(score / cap), "between −1 and 1");
  d.add_step("capped = " + cap_formula(d.trace, d.id), cap * std::tanh(score / cap),
             "small scores hardly change, and none exceeds ±" + c);
}

std::string mask_formula(const Trace& trace, const StageId& id) {
  const CombinedMask& mask = trace.mask(id);
  const std::vector<StageId> inputs = trace.graph().inputs(id);
  const std::string scores = name_of(inputs.front());
  std::string visible = scores;
  if (inputs.size() > 1) visible += " + position bias";
  if (!mask.added.empty()) visible += " + mask";
  if (mask.visible.empty()) return visible == scores ? scores + " (no mask)" : visible;
  return visible + " where visible, " + number_text(mask.value) + " elsewhere";
}

void derive_mask(Derivation& d) {
  const CombinedMask& mask = d.trace.mask(d.id);
  const std::string name = name_of(d.input(0));
  double score = d.read_cell(name, d.input(0), d.row, d.col);
  if (!mask.is_visible(d.id.head, d.row, d.col)) {
    d.add_step("masked = the mask value", mask.value,
               "hidden (" + hidden_reason(d.trace, d.id, d.row, d.col) + ")");
    return;
  }
  std::string sum = "masked = " + name;
  if (d.n_inputs() > 1) {
    score += d.read_cell("position bias", d.input(1), d.row, d.col);
    sum += " + position bias";
  }
  if (!mask.added.empty()) {
    const double added = mask.addend(d.id.head, d.row, d.col);
    d.add_step("mask", added, "what the loaded mask adds here");
    score += added;
    sum += " + mask";
  }
  d.add_step(sum, score, mask.added.empty() ? "visible: no mask hides this cell" : "");
}

/// Whether a head uses the weights of another pass, whose sink weights differ.
bool holds_pattern(const Trace& trace, const StageId& id) {
  const HeadEdits* edits = edits_of_head(trace, id);
  return edits != nullptr && !edits->pattern.empty();
}

/// 1 − the sum of a row of weights, or 0 if the sum exceeds 1.
float left_of_one(std::span<const float> weights) {
  double sum = 0.0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  return static_cast<float>(std::max(1.0 - sum, 0.0));
}

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// The scores that one softmax normalises: a row of `masked`, or a column for softmax over queries. In linear
/// attention, scores replace their exponentials.
struct SoftmaxLine {
  bool over_keys;
  std::vector<float> scores;
  std::vector<float> exponents;
  double maximum = 0.0;
  double sum = 0.0;
  std::optional<double> sink = {};  ///< exp(sink score − maximum), if there is a sink
};

/// The row or column of a weight.
SoftmaxLine softmax_line(const Derivation& d, const StageId& weight, int col) {
  const bool is_linear = d.trace.architecture().linear_attention;
  const std::vector<StageId> inputs = d.trace.graph().inputs(weight);
  SoftmaxLine line{
      .over_keys = d.trace.options().softmax == SoftmaxAxis::keys, .scores = {}, .exponents = {}};
  line.scores = line.over_keys ? d.row_of(inputs[0], d.row) : d.column_of(inputs[0], col);
  line.maximum = *std::max_element(line.scores.begin(), line.scores.end());
  if (line.over_keys && inputs.size() > 1) {
    const double sink = d.number(inputs[1], 0, 0);
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

/// Finishes a row or column in which every score is −∞, so there is nothing to divide by.
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

/// The edits of the weights of a head, or null.
const HeadEdits* edits_of_weights(const Trace& trace, const StageId& id) {
  const HeadEdits* edits = edits_of_head(trace, id);
  return edits != nullptr && edits->changes_weights() ? edits : nullptr;
}

/// The row of weights before interventions. With softmax over queries, each weight is normalised over its
/// column.
std::vector<float> softmax_row(const Derivation& d, const StageId& weight) {
  std::vector<float> row(static_cast<std::size_t>(d.trace.extent(weight).cols));
  SoftmaxLine line = softmax_line(d, weight, 0);
  for (std::size_t key = 0; key < row.size(); ++key) {
    if (!line.over_keys && key > 0) line = softmax_line(d, weight, static_cast<int>(key));
    const auto exponent =
        static_cast<double>(line.exponents[line.over_keys ? key : static_cast<std::size_t>(d.row)]);
    row[key] = line.sum > 0.0 ? static_cast<float>(exponent / line.sum) : 0.0F;
  }
  return row;
}

RowSums sums_of(const Trace& trace) {
  return row_sums(trace.options().softmax, trace.architecture().sinks);
}

/// The sum of a row of weights: "1", or "0.934, what the sink leaves of 1".
std::string total_text(const Trace& trace, double total) {
  return number_text(total) + (sums_of(trace) == RowSums::less ? ", what the sink leaves of 1" : "");
}

/// Describes the source of the weights of a row without given ones.
std::string note_on_origin(const Derivation& d, const WeightChange& change) {
  constexpr double rounding = 1e-4;
  switch (change.origin) {
    case WeightOrigin::own:
      return "an intervention in other rows leaves this row unchanged";
    case WeightOrigin::uniform:
      return change.n_visible > 0 ? "an intervention makes this head attend to all visible keys equally"
                                  : "the mask hides every key, so there is nothing to share equally";
    case WeightOrigin::compared: {
      std::string taken = "an intervention takes this row from the held pass";
      if (std::abs(change.compared - change.total) < rounding) return taken;
      return taken + ", where these keys have " + number_text(change.compared) +
             " in all; it is scaled to the sum of the row, " + total_text(d.trace, change.total);
    }
    case WeightOrigin::no_counterpart:
      return "the held text has no such word here, so the row keeps the weights of its own scores";
    case WeightOrigin::nothing_compared:
      return "the held pass has no weight on any key that is visible here, so the row keeps the weights of its own scores";
  }
  return {};
}

/// Describes how a given weight is used.
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

/// Describes how the other weights of the row change.
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

/// Adds the numbers behind a weight that is given or comes from another row.
void add_changed_parts(Derivation& d, const HeadEdits& edits, const WeightChange& change,
                       const GivenWeight* given) {
  if (given != nullptr) {
    d.add_step("given", static_cast<double>(given->weight));
    return;
  }
  if (change.origin == WeightOrigin::compared) {
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

/// Applies the interventions of a head to a row of weights.
WeightChange edit_row(const Derivation& d, std::vector<float>& row) {
  return edit_weights(*edits_of_weights(d.trace, d.id), d.row, d.trace.mask(d.id).keys(d.id.head, d.row), row,
                      sums_of(d.trace));
}

/// Derives the effect of the interventions on the weight.
void derive_edit(Derivation& d, const HeadEdits& edits) {
  std::vector<float> row = softmax_row(d, d.id);
  const WeightChange change = edit_row(d, row);
  const auto found = std::ranges::find(edits.weights, Cell{d.row, d.col}, &GivenWeight::cell);
  const GivenWeight* given = found == edits.weights.end() ? nullptr : &*found;
  const auto weight = static_cast<double>(row[static_cast<std::size_t>(d.col)]);
  d.add_computed_strip({"changed weights", row, d.names_along(d.id, Axis::key_tokens)});
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

/// The formula "the held pass's weights", with the number of rows unless all.
std::string held_formula(const HeadEdits& edits, const std::string& own) {
  const int n = n_compared_rows(edits);
  const int all = static_cast<int>(edits.pattern.size()) / edits.n_keys;
  const std::string compared = "the held pass's weights";
  return n == all
             ? compared
             : compared + " in the " + count_text(n, "row") +
                   " whose word, or another in its place, is in the held text, " + own + " in the others";
}

/// The weight of the sink.
RowFunction sink_shares(const Trace& trace, const StageId& id) {
  if (holds_pattern(trace, id)) {
    const StageId shown = with_kind(id, StageKind::weights);
    return [&trace, shown](int first, int n, float* out) {
      const StageNumbers rows = trace.read(shown, {first, 0, n, trace.extent(shown).cols});
      for (int row = 0; row < n; ++row) *out++ = left_of_one(rows.view.row(row));
    };
  }
  const StageId scores = trace.graph().inputs(id)[0];
  const auto sink_score = static_cast<double>(trace.number(trace.graph().inputs(id)[1], 0, 0));
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
  const std::string before_dropout = trace.options().has_dropout() ? ", before dropout" : "";
  if (edits == nullptr) return own + before_dropout;
  const std::string given =
      edits->weights.empty() ? "" : ", " + given_weights_text(*edits, trace.mask(id), id.head);
  const std::string source = !edits->pattern.empty() ? held_formula(*edits, own)
                             : edits->is_uniform     ? uniform_formula(trace)
                                                     : own;
  return source + given + " (intervention)" + before_dropout;
}

std::string drop_formula(const Trace& trace, const StageId& /*id*/) {
  return "A, each dropped with p = " + number_text(trace.options().dropout) + ", the others / (1 − p)";
}

void derive_drop(Derivation& d) {
  const AttentionOptions& options = d.trace.options();
  std::vector<float> factors(static_cast<std::size_t>(d.trace.extent(d.id).cols));
  dropout_of(options, d.id.stack, d.id.layer, d.id.attention).factors(d.id.head, d.row, factors);
  const double factor = factors[static_cast<std::size_t>(d.col)];
  const double weight = d.read_cell("weight", d.input(0), d.row, d.col);
  d.add_step(
      factor == 0.0 ? "removed" : "1 / (1 − p)", factor,
      "dropout with p = " + number_text(options.dropout) + ", seed " + std::to_string(options.dropout_seed));
  d.add_step("dropped = weight × that", weight * factor);
}

/// For linear attention: derives the normalised score.
void derive_share(Derivation& d, const SoftmaxLine& line) {
  const auto score = static_cast<double>(line.exponents[static_cast<std::size_t>(d.col)]);
  const Explanation::Strip all = d.read_row("scores visible to " + d.quoted_row(), d.input(0), d.row);
  Explanation::Strip seen{all.label, {}, {}};
  for (std::size_t key = 0; key < all.values.size(); ++key) {
    if (!std::isfinite(all.values[key])) continue;
    seen.values.push_back(all.values[key]);
    seen.names.push_back(all.names[key]);
  }
  if (!seen.values.empty()) d.add_strip(std::move(seen));
  d.add_step("Σ over keys", line.sum, "no softmax: φ makes no score negative, so no exponential is needed");
  if (line.sum == 0.0) {
    d.add_step("weight", 0.0,
               "every key is hidden from this query or has the score 0, so all its weights are 0");
    return;
  }
  d.add_step("weight = score / Σ over keys", score / line.sum, note_on_weight(d, line, score));
}

/// Derives the masked score from query and key, so that the derivation of a weight is complete. A given raw
/// score is only stated.
void add_way_to_score(Derivation& d) {
  std::vector<StageId> way{d.input(0)};
  while (d.trace.graph().op(way.back()) != Op::scores)
    way.push_back(d.trace.graph().inputs(way.back()).front());
  const StageId raw = way.back();
  if (d.trace.given(raw) != nullptr) {
    d.read_cell("raw", raw, d.row, d.col, "given by hand, not computed");
    way.pop_back();
  }
  for (; !way.empty(); way.pop_back()) {
    Derivation step{d.trace, way.back(), d.row, d.col, {}};
    derive_cell(step);
    d.explanation.steps.push_back(std::move(step.explanation.steps.back()));
    if (way.back() != raw) continue;
    d.explanation.strips = std::move(step.explanation.strips);
    d.explanation.sources = std::move(step.explanation.sources);
  }
}

/// Adds the sink's term of the sum of a row.
void add_sink(Derivation& d, double exponent) {
  d.read_cell("sink", d.input(1), 0, 0, "a learned score that belongs to no key");
  d.add_step("exp(sink − row maximum)", exponent);
}

void derive_softmax(Derivation& d) {
  add_way_to_score(d);
  const SoftmaxLine line = softmax_line(d, d.id, d.col);
  if (d.trace.architecture().linear_attention) return derive_share(d, line);
  const std::string of_line = line.over_keys ? "row maximum" : "column maximum";
  Explanation::Strip scores = line.over_keys
                                  ? d.read_row("masked row of " + d.quoted_row(), d.input(0), d.row)
                                  : d.read_column("masked column of " + d.quoted_key(), d.input(0), d.col);
  const std::vector<std::string> names = scores.names;
  d.add_strip(std::move(scores));
  d.add_computed_strip({"exp(masked − " + of_line + ")", line.exponents, names});
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

void derive_sink_share(Derivation& d) {
  if (holds_pattern(d.trace, d.id)) {
    const StageId shown = with_kind(d.id, StageKind::weights);
    Explanation::Strip weights = d.read_row("weights of " + d.quoted_row(), shown, d.row);
    const auto left = static_cast<double>(left_of_one(weights.values));
    d.add_strip(std::move(weights));
    std::vector<float> row = softmax_row(d, shown);
    d.add_step("share = 1 − Σ weights", left, note_on_origin(d, edit_row(d, row)));
    return;
  }
  const SoftmaxLine line = softmax_line(d, d.id, d.col);
  Explanation::Strip scores = d.read_row("masked row of " + d.quoted_row(), d.input(0), d.row);
  const std::vector<std::string> keys = scores.names;
  d.add_strip(std::move(scores));
  d.add_computed_strip({"exp(masked − row maximum)", line.exponents, keys});
  d.add_step("row maximum", line.maximum, "of the scores and the sink");
  add_sink(d, *line.sink);
  d.add_step("Σ over keys and the sink", line.sum);
  d.add_step("share = exp(sink − row maximum) / that Σ", *line.sink / line.sum,
             "the weights of the keys add up to the rest");
}

void derive_weight(Derivation& d) {
  derive_softmax(d);
  if (const HeadEdits* edits = edits_of_weights(d.trace, d.id)) derive_edit(d, *edits);
}

}  // namespace

std::string score_scaling_text(const Trace& trace, const StageId& id) {
  const AttentionOptions& options = trace.options();
  const Architecture& a = trace.architecture();
  if (a.linear_attention) return {};
  const bool has_yarn = score_amplitude(a, id.attention, id.layer) != 1.0;
  const std::string by_yarn = has_yarn ? " · (" + yarn_factor_text(a.rotary) + ")²" : "";
  const std::string root = "√" + std::to_string(a.head_width(id.layer));
  const bool has_temperature = options.temperature != 1.0F;
  const std::string temperature = number_text(options.temperature);
  const std::string by_temperature = has_temperature ? " / " + temperature : "";
  if (!options.scale) return by_yarn + by_temperature;
  if (a.score_scale > 0.0F) return by_yarn + " · " + number_text(a.score_scale) + by_temperature;
  return by_yarn + (has_temperature ? " / (" + root + " · " + temperature + ")" : " / " + root);
}

std::string yarn_factor_text(const Rotary& rotary) {
  return "0.1 ln " + number_text(rotary.factor) + " + 1";
}

std::string hidden_reason(const Trace& trace, const StageId& id, int query, int key) {
  const MaskSpec& spec = trace.mask_spec(id);
  const bool is_cross = id.attention == AttentionKind::cross;
  const MaskSizes sizes{.n_heads = trace.architecture().n_heads,
                        .n_sequences = trace.batch().n_sequences,
                        .sequence = trace.batch().sequence,
                        .sliding = trace.sliding_window(id),
                        .query_offset = is_cross ? trace.options().query_offset : 0};
  std::string reason = why_hidden(spec, sizes, id.head, {query, key});
  const bool keys_are_padded = &trace.tokens(id, Axis::key_tokens) == &trace.tokens();
  const bool fills = keys_are_padded && key >= trace.n_tokens() - trace.batch().n_padded;
  return fills ? "padding: key " + std::to_string(key) + " only pads the sentence" : reason;
}

std::span<const OpRecord> score_operations() {
  static constexpr std::array records{
      OpRecord{Op::scores, derive_scores, scores_formula},
      OpRecord{Op::scale, derive_scale, scale_formula},
      OpRecord{Op::cap, derive_cap, cap_formula},
      OpRecord{Op::mask, derive_mask, mask_formula},
      OpRecord{Op::softmax, derive_weight, weights_formula},
      OpRecord{Op::sink_share, derive_sink_share, "exp(s − m) / (Σ exp(M − m) + exp(s − m))", sink_shares},
      OpRecord{Op::drop, derive_drop, drop_formula},
  };
  return records;
}

}  // namespace headscope
