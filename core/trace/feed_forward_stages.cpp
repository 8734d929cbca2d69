#include "core/trace/feed_forward_stages.h"

#include "core/trace/derivation.h"

namespace headscope::stages {
namespace {

/// The name that Shazeer 2020 gives to a gated layer with this activation.
std::string gate_name(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "ReGLU";
    case Activation::gelu:
      return "GEGLU";
    case Activation::gelu_tanh:
      return "GEGLU, by tanh";
    case Activation::silu:
      return "SwiGLU";
  }
  return {};
}

}  // namespace

std::string gated_formula(const Trace& trace, const StageId& /*id*/) {
  return "F′ ⊙ U (" + gate_name(trace.architecture().activation) + ")";
}

}  // namespace headscope::stages
