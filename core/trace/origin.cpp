#include <cmath>

#include "core/model/model.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

using enum StageKind;

struct Fans {
  int in, out;
};

/// Sizes of the matrix that a weight matrix was drawn as.
Fans fans_of(const Architecture& a, StageKind kind) {
  switch (kind) {
    case w_output:
    case b_output:
      return {a.concat_width(), a.d_model};
    case w_value:
    case b_value:
      return {a.d_model, a.value_width()};
    case w_1:
    case b_1:
      return {a.d_model, a.d_ff};
    case w_2:
    case b_2:
      return {a.d_ff, a.d_model};
    default:
      return {a.d_model, a.head_width()};
  }
}

/// PyTorch draws the matrices of all heads as one, which is as many times as wide.
std::string pytorch_differs(const Architecture& a, StageKind kind, Fans fans) {
  const bool of_a_head = kind == w_query || kind == w_key || kind == w_value;
  if (a.init != Init::xavier || !of_a_head || a.n_heads == 1) return {};
  const int whole = a.n_heads * fans.out;
  return "; PyTorch’s xavier_uniform_ counts the columns of all heads: ±" +
         number_text(std::sqrt(6.0 / (fans.in + whole))) + " = √(6 / (" + std::to_string(fans.in) + " + " +
         std::to_string(whole) + "))";
}

std::string drawn_weights(Init init, Fans fans) {
  const std::string in = std::to_string(fans.in);
  switch (init) {
    case Init::normal:
      return "drawn from N(0, 1)";
    case Init::scaled:
      return "drawn from N(0, 1/" + in + ")";
    case Init::xavier:
      break;
  }
  return "drawn uniformly from ±" + number_text(std::sqrt(6.0 / (fans.in + fans.out))) + " = √(6 / (" + in +
         " + " + std::to_string(fans.out) + "))";
}

std::string drawn_bias(int fan_in) {
  return "drawn uniformly from ±" + number_text(1.0 / std::sqrt(fan_in)) + " = 1 / √" +
         std::to_string(fan_in);
}

}  // namespace

std::string origin_text(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  if (!trace.model().drawn) return "read from the model's file";
  const std::string seed = ", seed " + std::to_string(a.seed);
  switch (id.kind) {
    case embedding_table:
    case positions_table:
      return "drawn from N(0, 1)" + seed;
    case w_logits:
      return a.output_layer == OutputLayer::tied
                 ? "the embedding of each word, as a column"
                 : "drawn from N(0, 1/" + std::to_string(a.d_model) + "), from each word itself" + seed;
    case b_logits:
      return drawn_bias(a.d_model) + ", for each word from the word itself" + seed;
    case norm_gain:
    case feed_forward_norm_gain:
    case final_norm_gain:
      return "1 before any training";
    case norm_bias:
    case feed_forward_norm_bias:
    case final_norm_bias:
      return "0 before any training";
    default:
      break;
  }
  const Fans fans = fans_of(a, id.kind);
  if (info(id.kind).rows != Axis::single) {
    return drawn_weights(a.init, fans) + seed + pytorch_differs(a, id.kind, fans);
  }
  return drawn_bias(fans.in) + seed;
}

}  // namespace headscope
