#include <cstddef>
#include <string>
#include <vector>

#include "core/model/attention.h"
#include "core/trace/derivation.h"
#include "core/trace/number_text.h"
#include "core/trace/weight_stages.h"

// The stage of the weights after dropout.

namespace headscope::stages {

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

}  // namespace headscope::stages
