#include "core/model/positions.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

bool has(const Trace& trace, StageId id, StageKind kind) {
  id.kind = kind;
  return trace.has(normalized(id));
}

std::string linear_formula(const Trace& trace, const StageId& id, const std::string& product,
                           StageKind bias) {
  return has(trace, id, bias) ? product + " + " + std::string(info(bias).symbol) : product;
}

std::string scaled_formula(const Trace& trace) {
  const std::string divisor = score_divisor_text(trace);
  return "raw" + (divisor.empty() ? "" : " / " + divisor) +
         (trace.options().scale ? "" : " (scaling is off)");
}

std::string masked_formula(const Trace& trace, const StageId& id) {
  const CombinedMask& mask = trace.mask(id);
  std::string visible = "scaled";
  if (has(trace, id, StageKind::position_bias)) visible += " + position bias";
  if (!mask.added.empty()) visible += " + mask";
  if (mask.visible.empty()) return visible == "scaled" ? "scaled (no mask)" : visible;
  return visible + " where visible, " + number_text(mask.value) + " elsewhere";
}

std::string concat_formula(int n_heads) {
  if (n_heads == 1) return "[O_0]";
  const char* between = n_heads == 2 ? ", O_" : " … O_";
  return "[O_0" + (between + std::to_string(n_heads - 1)) + "]";
}

std::string embedding_formula(const Trace& trace, const StageId& id) {
  if (has(trace, id, StageKind::embedding_table)) {
    const Architecture& a = trace.architecture();
    const std::string factor = a.scales_embedding ? "√" + std::to_string(a.d_model) + " · " : "";
    return factor + "row of the embedding table with the token's id";
  }
  return "N(0, 1), drawn from the word and seed " + std::to_string(trace.architecture().seed);
}

std::string positions_formula(const Architecture& a) {
  const std::string width = std::to_string(a.d_model);
  switch (a.positions) {
    case Positions::learned:
      return "row t of the table of positions";
    case Positions::split:
      return "sin(t / 10000^(i/" + std::to_string((a.d_model + 1) / 2 - 1) +
             ")) in the first half, cos in the second";
    default:
      return "sin(t / 10000^(2i/" + width + ")), cos(the same)";
  }
}

/// "x + Y", "LayerNorm(x + Y)": what a norm after a sublayer takes in.
std::string sum_formula(const Trace& trace, const StageId& id, StageKind residual, StageKind output) {
  return has(trace, id, residual) ? std::string(info(residual).symbol) : std::string(info(output).symbol);
}

/// Stages of attention whose formula depends on the options.
std::string attention_formula(const Trace& trace, const StageId& id) {
  const bool is_cross = id.attention == AttentionKind::cross;
  const std::string memory = is_cross ? "memory" : "x";
  const std::string head = std::to_string(id.head);
  switch (id.kind) {
    case StageKind::query:
      return linear_formula(trace, id, "x W_Q", StageKind::b_query);
    case StageKind::key:
      return linear_formula(trace, id, memory + " W_K", StageKind::b_key);
    case StageKind::value:
      return linear_formula(trace, id, memory + " W_V", StageKind::b_value);
    case StageKind::raw:
      return has(trace, id, StageKind::rotated_query) ? "Q° K°ᵀ" : "Q Kᵀ";
    case StageKind::scaled:
      return scaled_formula(trace);
    case StageKind::masked:
      return masked_formula(trace, id);
    case StageKind::weights:
      return trace.options().softmax == SoftmaxAxis::keys
                 ? "softmax(masked) over keys"
                 : "softmax(masked) over queries: rows need not sum to 1";
    case StageKind::dropped:
      return "A, each dropped with p = " + number_text(trace.options().dropout) + ", the others / (1 − p)";
    case StageKind::output:
      return has(trace, id, StageKind::dropped) ? "A′ V" : "A V";
    case StageKind::contribution:
      return "O_" + head + " W_O[" + head + "]";
    case StageKind::position_bias:
      return trace.architecture().positions == Positions::alibi
                 ? "−" + number_text(alibi_slope(id.head, trace.architecture().n_heads)) + " · |key − query|"
                 : "P[" + head + ", key − query]";
    default:
      return std::string(info(id.kind).formula);
  }
}

}  // namespace

std::string formula(const Trace& trace, const StageId& requested) {
  const StageId id = normalized(requested);
  const Architecture& a = trace.architecture();
  const StageInfo& line = info(id.kind);
  if (line.is_parameter) return origin_text(trace, id);
  switch (id.kind) {
    case StageKind::embedding:
      return embedding_formula(trace, id);
    case StageKind::positions:
      return positions_formula(a);
    case StageKind::input:
      return has(trace, id, StageKind::positions) ? "E + P" : "E (no positions)";
    case StageKind::concat:
      return concat_formula(a.n_heads);
    case StageKind::projected:
      return a.output_projection ? linear_formula(trace, id, "C W_O", StageKind::b_output)
                                 : "C (no output projection)";
    case StageKind::normed:
      return "LayerNorm(" + sum_formula(trace, id, StageKind::residual, StageKind::projected) + ")";
    case StageKind::feed_forward_normed:
      return "LayerNorm(" +
             sum_formula(trace, id, StageKind::feed_forward_residual, StageKind::feed_forward_output) + ")";
    case StageKind::logits:
      return linear_formula(trace, id, "X′ W_L", StageKind::b_logits);
    case StageKind::activated:
      return a.activation == Activation::relu ? "ReLU(F)" : "GELU(F) = F · Φ(F)";
    case StageKind::layer_output:
      return std::string(info(inputs_of(trace, id).front().kind).symbol);
    case StageKind::stack_output:
      return a.norm == Norm::pre ? "LayerNorm(x′ of the last layer)" : "x′ of the last layer";
    default:
      return attention_formula(trace, id);
  }
}

std::string shape_text(const MatrixView& view) {
  return "[" + std::to_string(view.rows) + " × " + std::to_string(view.cols) + "]";
}

std::string full_shape_text(const Trace& trace, const StageId& id) {
  const MatrixView view = trace.value(id);
  const StageInfo& line = info(id.kind);
  std::string text = "[";
  if (!line.is_parameter) text += std::to_string(trace.batch().n_sequences) + ", ";
  const bool several = trace.architecture().n_heads > 1;
  if (line.scope == StageScope::head && several) text += std::to_string(trace.architecture().n_heads) + ", ";
  if (line.rows != Axis::single) text += std::to_string(view.rows) + ", ";
  return text + std::to_string(view.cols) + "]";
}

}  // namespace headscope
