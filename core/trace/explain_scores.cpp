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

std::string hidden_reason(const Trace& trace, int head, int query, int key) {
  return why_hidden(trace.options().mask, head, {query, key});
}

void derive_raw(Derivation& d) {
  const double sum = d.add_products({"q " + d.quoted(d.row), d.row_of(StageKind::query, d.row), {}},
                                    {"k " + d.quoted(d.col), d.row_of(StageKind::key, d.col), {}}, "q × k");
  d.add_source(StageKind::query, d.row, std::nullopt);
  d.add_source(StageKind::key, d.col, std::nullopt);
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
  const CombinedMask& mask = d.trace.mask();
  const double scaled = d.view(StageKind::scaled)(d.row, d.col);
  d.add_source(StageKind::scaled, d.row, d.col);
  d.add_step("scaled", scaled);
  if (!mask.is_visible(d.id.head, d.row, d.col)) {
    const bool infinite = mask.value == MaskValue::minus_infinity;
    d.add_step("masked = the mask value", infinite ? -HUGE_VAL : -1e9,
               "hidden (" + hidden_reason(d.trace, d.id.head, d.row, d.col) + ")");
    return;
  }
  if (mask.added.empty()) {
    d.add_step("masked = scaled", scaled, "visible: no mask hides this cell");
    return;
  }
  const double added = mask.addend(d.id.head, d.row, d.col);
  d.add_step("mask", added, "what the loaded mask adds here");
  d.add_step("masked = scaled + mask", scaled + added);
}

}  // namespace headscope
