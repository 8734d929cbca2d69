#include <cmath>

#include "core/trace/derivation.h"

namespace headscope {

std::string score_divisor_text(const Trace& trace) {
  const AttentionOptions& options = trace.options();
  const std::string root = "√" + std::to_string(trace.architecture().head_width());
  const bool has_temperature = options.temperature != 1.0F;
  const std::string temperature = number_text(options.temperature);
  if (options.scale) return has_temperature ? "(" + root + " · " + temperature + ")" : root;
  return has_temperature ? temperature : "";
}

std::string hidden_reason(const Trace& trace, const StageId& id, int query, int key) {
  const MaskSpec& spec = trace.mask_spec(id);
  const MaskSizes sizes{.n_heads = trace.architecture().n_heads,
                        .n_sequences = trace.batch().n_sequences,
                        .sequence = trace.batch().sequence};
  std::string reason = why_hidden(spec, sizes, id.head, {query, key});
  const bool keys_are_padded = &trace.tokens(id, Axis::key_tokens) == &trace.tokens();
  const bool fills = keys_are_padded && key >= trace.n_tokens() - trace.batch().n_padded;
  return fills ? "padding: key " + std::to_string(key) + " only pads the sentence" : reason;
}

void derive_raw(Derivation& d) {
  const bool rotated = d.has(StageKind::rotated_query);
  const StageKind query = rotated ? StageKind::rotated_query : StageKind::query;
  const StageKind key = rotated ? StageKind::rotated_key : StageKind::key;
  const double sum =
      d.add_products({"q " + d.quoted(d.row), d.row_of(query, d.row), {}},
                     {"k " + d.quoted(d.col, Axis::key_tokens), d.row_of(key, d.col), {}}, "q × k");
  d.add_source(query, d.row, std::nullopt);
  d.add_source(key, d.col, std::nullopt);
  d.add_step("raw = Σ q × k", sum);
}

void derive_scaled(Derivation& d) {
  const AttentionOptions& options = d.trace.options();
  const double raw = d.view(StageKind::raw)(d.row, d.col);
  const int width = d.trace.architecture().head_width();
  const double root = options.scale ? std::sqrt(static_cast<double>(width)) : 1.0;
  const double temperature = options.temperature;
  d.add_source(StageKind::raw, d.row, d.col);
  d.add_step("raw", raw);
  if (options.scale) d.add_step("√" + std::to_string(width), root, "√d_head");
  if (options.temperature != 1.0F) d.add_step("τ", temperature, "the attention temperature");
  const std::string divisor = score_divisor_text(d.trace);
  d.add_step("scaled = raw" + (divisor.empty() ? "" : " / " + divisor), raw / (root * temperature),
             options.scale ? "" : "scaling by 1/√d_head is off");
}

void derive_masked(Derivation& d) {
  const CombinedMask& mask = d.trace.mask(d.id);
  double score = d.view(StageKind::scaled)(d.row, d.col);
  d.add_source(StageKind::scaled, d.row, d.col);
  d.add_step("scaled", score);
  if (!mask.is_visible(d.id.head, d.row, d.col)) {
    d.add_step("masked = the mask value", mask.value,
               "hidden (" + hidden_reason(d.trace, d.id, d.row, d.col) + ")");
    return;
  }
  std::string sum = "masked = scaled";
  if (d.has(StageKind::position_bias)) {
    const double bias = d.view(StageKind::position_bias)(d.row, d.col);
    d.add_source(StageKind::position_bias, d.row, d.col);
    d.add_step("position bias", bias);
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

}  // namespace headscope
