#include "core/trace/score_stages.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/model/model.h"
#include "core/model/positions.h"
#include "core/trace/derivation.h"

namespace headscope {

std::string score_scaling_text(const Trace& trace, const StageId& id) {
  const AttentionOptions& options = trace.options();
  const Architecture& a = trace.architecture();
  if (a.linear_attention) return {};
  const bool has_yarn = score_amplitude(a, id.attention, id.layer) != 1.0;
  const std::string by_yarn = has_yarn ? " · (" + yarn_factor_text(a.rotary) + ")²" : "";
  const std::string root = "√" + std::to_string(a.head_width());
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

namespace stages {
namespace {

std::string query_text(const Trace& trace, const StageId& id, int row) {
  return token_as(trace, id, Axis::query_tokens, "query", row);
}
std::string key_text(const Trace& trace, const StageId& id, int col) {
  return token_as(trace, id, Axis::key_tokens, "key", col);
}

/// A sentence such as "The raw score of “it” (query 7) and “animal” (key 1) is 0.3".
std::string score_sentence(const Trace& trace, const StageId& id, const CellValue& cell,
                           const std::string& what) {
  return "The " + what + " score of " + query_text(trace, id, cell.row) + " and " +
         key_text(trace, id, cell.col) + " is " + number_text(cell.value);
}

}  // namespace

std::string raw_formula(const Trace& trace, const StageId& id) {
  const std::vector<StageId> rows = trace.graph().inputs(id);
  return std::string(info(rows.front().kind).symbol) + " " + std::string(info(rows.back().kind).symbol) + "ᵀ";
}

std::string scaled_formula(const Trace& trace, const StageId& id) {
  return "raw" + score_scaling_text(trace, id) + (trace.options().scale ? "" : " (scaling is off)");
}

std::string capped_formula(const Trace& trace, const StageId& /*id*/) {
  const std::string cap = number_text(trace.architecture().softcap);
  return cap + " · tanh(scaled / " + cap + ")";
}

std::string position_bias_formula(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  return a.positions == Positions::alibi
             ? "−" + number_text(alibi_slope(id.head, a.n_heads)) + " · |key − query|"
             : "P[" + std::to_string(id.head) + ", key − query]";
}

std::string masked_formula(const Trace& trace, const StageId& id) {
  const CombinedMask& mask = trace.mask(id);
  const std::string scores(info(trace.graph().inputs(at_kind(id, masked)).front().kind).name);
  std::string visible = scores;
  if (has_beside(trace, id, position_bias)) visible += " + position bias";
  if (!mask.added.empty()) visible += " + mask";
  if (mask.visible.empty()) return visible == scores ? scores + " (no mask)" : visible;
  return visible + " where visible, " + number_text(mask.value) + " elsewhere";
}

std::string raw_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return score_sentence(trace, id, cell, "raw");
}

std::string scaled_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return score_sentence(trace, id, cell, "scaled");
}

std::string capped_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return score_sentence(trace, id, cell, "capped");
}

std::string position_bias_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return "The distance from " + query_text(trace, id, cell.row) + " to " + key_text(trace, id, cell.col) +
         " adds " + number_text(cell.value) + " to their score";
}

std::string masked_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return with_hidden_reason(trace, id, cell, score_sentence(trace, id, cell, "masked"));
}

float masked_below(const Trace& trace, const StageId& id) {
  constexpr double far_beyond = 4.0;
  const float hidden = std::abs(trace.mask(id).value);
  const StageStats scores =
      trace.stats(trace.graph().inputs(at_kind(id, masked)).front()).value_or(StageStats{});
  const bool is_far = static_cast<double>(hidden) > far_beyond * scores.magnitude;
  return is_far ? std::min(hidden, hidden_magnitude) : hidden_magnitude;
}

RowMaker position_biases(const Trace& trace, const StageId& id) {
  const auto n = static_cast<int>(trace.tokens(id.stack).size());
  const auto biases =
      distance_biases(trace.architecture(), trace.model().position_biases(id.stack), id.stack, id.head, n);
  return [n, biases](int first, int n_rows, float* out) {
    for (int query = first; query < first + n_rows; ++query) {
      out = std::copy_n(biases.data() + (n - 1 - query), n, out);
    }
  };
}

void derive_raw(Derivation& d) {
  const StageKind query = d.input(0).kind;
  const StageKind key = d.input(1).kind;
  const std::string q = symbol_of_row(query);
  const std::string k = symbol_of_row(key);
  const double sum =
      d.add_products({q + " " + d.quoted(d.row), d.row_of(query, d.row), {}},
                     {k + " " + d.quoted(d.col, Axis::key_tokens), d.row_of(key, d.col), {}}, q + " × " + k);
  d.add_source(query, d.row, std::nullopt);
  d.add_source(key, d.col, std::nullopt);
  d.add_step("raw = Σ " + q + " × " + k, sum);
}

void derive_scaled(Derivation& d) {
  const AttentionOptions& options = d.trace.options();
  const double raw = d.number(StageKind::raw, d.row, d.col);
  const Architecture& a = d.trace.architecture();
  const double root = std::sqrt(static_cast<double>(a.head_width()));
  const double own = a.score_scale;
  const double factor = !options.scale ? 1.0 : own > 0.0 ? own : 1.0 / root;
  const double temperature = options.temperature;
  const double by_yarn = score_amplitude(a, d.id.attention, d.id.layer);
  d.add_source(StageKind::raw, d.row, d.col);
  d.add_cell("raw", StageKind::raw, d.row, d.col,
             d.trace.given(d.sibling(StageKind::raw)) != nullptr ? "given by hand" : "");
  if (by_yarn != 1.0) {
    d.add_step(
        "m² = (" + yarn_factor_text(a.rotary) + ")²", by_yarn,
        "YaRN's factor for all scores if keys are made from a latent, as in DeepSeek-V3; otherwise m is in the cosines and sines");
  }
  if (options.scale && own > 0.0)
    d.add_step("the model's scale", own, "in place of 1/√d_k, which would be " + number_text(1.0 / root));
  if (options.scale && own == 0.0) d.add_step("√" + std::to_string(a.head_width()), root, "√d_k");
  if (options.temperature != 1.0F) d.add_step("τ", temperature, "the attention temperature");
  d.add_step("scaled = raw" + score_scaling_text(d.trace, d.id), raw * by_yarn * factor / temperature,
             options.scale ? "" : "scaling of the scores is off");
}

void derive_capped(Derivation& d) {
  const double score = d.number(StageKind::scaled, d.row, d.col);
  const double cap = d.trace.architecture().softcap;
  const std::string c = number_text(cap);
  d.add_source(StageKind::scaled, d.row, d.col);
  d.add_cell("scaled", StageKind::scaled, d.row, d.col);
  d.add_step("scaled / " + c, score / cap);
  d.add_step("tanh of that", std::tanh(score / cap), "between −1 and 1");
  d.add_step("capped = " + c + " · tanh(scaled / " + c + ")", cap * std::tanh(score / cap),
             "small scores hardly change, and none exceeds ±" + c);
}

void derive_masked(Derivation& d) {
  const CombinedMask& mask = d.trace.mask(d.id);
  const StageId scores = d.input(0);
  const std::string name(info(scores.kind).name);
  double score = d.number(scores, d.row, d.col);
  d.add_source(scores, d.row, d.col);
  d.add_cell(name, scores, d.row, d.col);
  if (!mask.is_visible(d.id.head, d.row, d.col)) {
    d.add_step("masked = the mask value", mask.value,
               "hidden (" + hidden_reason(d.trace, d.id, d.row, d.col) + ")");
    return;
  }
  std::string sum = "masked = " + name;
  if (d.has(StageKind::position_bias)) {
    const double bias = d.number(StageKind::position_bias, d.row, d.col);
    d.add_source(StageKind::position_bias, d.row, d.col);
    d.add_cell("position bias", StageKind::position_bias, d.row, d.col);
    score += bias;
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

void derive_position_bias(Derivation& d) {
  const Architecture& a = d.trace.architecture();
  const int distance = d.col - d.row;
  d.add_step("distance = key − query", distance);
  if (a.positions == Positions::alibi) {
    const double slope = alibi_slope(d.id.head, a.n_heads);
    d.add_step("slope of head " + std::to_string(d.id.head), slope, "a power of 2, different for each head");
    d.add_step("bias = −slope × |distance|", -slope * std::abs(distance));
    return;
  }
  const int column = relative_column(a, d.id.stack, distance);
  const StageId table = d.input(0);
  d.add_source(table, d.id.head, column);
  const std::string head = "bias = P[head " + std::to_string(d.id.head);
  if (a.relative_buckets) {
    d.add_cell(head + ", bucket " + std::to_string(column) + "]", table, d.id.head, column,
               "the larger the distances, the more of them share a bucket");
    return;
  }
  const int shared = column - max_relative_distance;
  d.add_cell(head + ", distance " + std::to_string(shared) + "]", table, d.id.head, column,
             shared == distance ? "" : "all longer distances share this bias");
}

}  // namespace stages
}  // namespace headscope
