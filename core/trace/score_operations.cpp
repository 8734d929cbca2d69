#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/model/model.h"
#include "core/model/positions.h"
#include "core/model/rotary.h"
#include "core/text/number_text.h"
#include "core/trace/operation.h"

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
  Derivation::Factor asks = d.read_row(q + " " + d.quoted_row(), query, d.row);
  Derivation::Factor found = d.read_row(k + " " + d.quoted_key(), key, d.col);
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
  const double root = std::sqrt(static_cast<double>(a.head_width()));
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
    d.add_step("the model's scale", own, "in place of 1/√d_k, which would be " + number_text(1.0 / root));
  if (options.scale && own == 0.0) d.add_step("√" + std::to_string(a.head_width()), root, "√d_k");
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

std::string bias_formula(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  return a.positions == Positions::alibi ? "−" + number_text(alibi_slope(a, id.head)) + " · |key − query|"
                                         : "P[" + std::to_string(id.head) + ", key − query]";
}

void derive_bias(Derivation& d) {
  const Architecture& a = d.trace.architecture();
  const int distance = d.col - d.row;
  d.add_step("distance = key − query", distance);
  if (a.positions == Positions::alibi) {
    const double slope = alibi_slope(a, d.id.head);
    d.add_step("slope of head " + std::to_string(d.id.head), slope,
               a.foreign.slope_factor == 1.0F ? "a power of 2, different for each head"
                                              : "a power of 2, different for each head, / √d_k");
    d.add_step("bias = −slope × |distance|", -slope * std::abs(distance));
    return;
  }
  const int column = relative_column(a, d.id.stack, distance);
  const int shared = column - max_relative_distance;
  const std::string head = "bias = P[head " + std::to_string(d.id.head);
  const std::string place = a.relative_buckets ? ", bucket " + std::to_string(column) + "]"
                                               : ", distance " + std::to_string(shared) + "]";
  d.read_cell(head + place, d.input(0), d.id.head, column,
              a.relative_buckets   ? "the larger the distances, the more of them share a bucket"
              : shared == distance ? ""
                                   : "all longer distances share this bias");
}

/// Position biases, constant along each diagonal.
RowFunction position_biases(const Trace& trace, const StageId& id) {
  const auto n = static_cast<int>(trace.tokens(id.stack).size());
  const auto biases = distance_biases(trace.architecture(), trace.model().position_biases(id.stack, id.layer),
                                      id.stack, id.head, n);
  return [n, biases](int first, int n_rows, float* out) {
    for (int query = first; query < first + n_rows; ++query) {
      out = std::copy_n(biases.data() + (n - 1 - query), n, out);
    }
  };
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

}  // namespace

std::span<const OpRecord> score_operations() {
  static constexpr std::array records{
      OpRecord{Op::scores, derive_scores, scores_formula},
      OpRecord{Op::scale, derive_scale, scale_formula},
      OpRecord{Op::cap, derive_cap, cap_formula},
      OpRecord{Op::distance_bias, derive_bias, bias_formula, position_biases},
      OpRecord{Op::mask, derive_mask, mask_formula},
  };
  return records;
}

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

}  // namespace headscope
