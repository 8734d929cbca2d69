#include "core/trace/output_norm_stages.h"

namespace headscope::stages {

Absence output_norm_is_absent(const PassTraits& pass, const StageId& /*id*/) {
  return unless(pass.architecture.norms_outputs(), Absence::no_output_norm);
}

Absence output_norm_bias_is_absent(const PassTraits& pass, const StageId& id) {
  const Absence norm = output_norm_is_absent(pass, id);
  return norm != Absence::none ? norm : norm_bias_is_absent(pass, id);
}

Absence feed_forward_output_norm_is_absent(const PassTraits& pass, const StageId& id) {
  const Absence layer = feed_forward_is_absent(pass, id);
  return layer != Absence::none ? layer : output_norm_is_absent(pass, id);
}

Absence feed_forward_output_norm_bias_is_absent(const PassTraits& pass, const StageId& id) {
  const Absence norm = feed_forward_output_norm_is_absent(pass, id);
  return norm != Absence::none ? norm : norm_bias_is_absent(pass, id);
}

std::string output_norm_formula(const Trace& trace, const StageId& id) {
  const StageKind output = id.kind == output_norm ? projected : feed_forward_output;
  return norm_name(trace) + "(" + std::string(info(output).symbol) + ")";
}

void derive_output_norm(Derivation& d) {
  derive_norm(d, output_norm_gain, output_norm_bias);
}

void derive_feed_forward_output_norm(Derivation& d) {
  derive_norm(d, feed_forward_output_norm_gain, feed_forward_output_norm_bias);
}

}  // namespace headscope::stages
