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

std::string masked_formula(const Trace& trace) {
  const CombinedMask& mask = trace.mask();
  const std::string visible = mask.added.empty() ? "scaled" : "scaled + mask";
  if (mask.visible.empty()) return mask.added.empty() ? "scaled (no mask)" : visible;
  return visible + " where visible, " + (mask.value == MaskValue::minus_infinity ? "−∞" : "−1e9") +
         " elsewhere";
}

std::string concat_formula(int n_heads) {
  if (n_heads == 1) return "[O_0]";
  const char* between = n_heads == 2 ? ", O_" : " … O_";
  return "[O_0" + (between + std::to_string(n_heads - 1)) + "]";
}

std::string embedding_formula(const Trace& trace, const StageId& id) {
  if (has(trace, id, StageKind::embedding_table)) return "row of the embedding table with the token's id";
  return "N(0, 1), drawn from the word and seed " + std::to_string(trace.architecture().seed);
}

}  // namespace

std::string formula(const Trace& trace, const StageId& wished) {
  const StageId id = normalized(wished);
  const Architecture& a = trace.architecture();
  const StageInfo& line = info(id.kind);
  if (line.is_parameter) return drawn_text(trace, id.kind) + ", seed " + std::to_string(a.seed);
  const std::string head = std::to_string(id.head);
  switch (id.kind) {
    case StageKind::embedding:
      return embedding_formula(trace, id);
    case StageKind::positions: {
      const std::string width = std::to_string(a.d_model);
      return "sin(t / 10000^(2i/" + width + ")), cos(the same)";
    }
    case StageKind::input:
      return has(trace, id, StageKind::positions) ? "E + P" : "E (no positions)";
    case StageKind::query:
      return linear_formula(trace, id, "x W_Q", StageKind::b_query);
    case StageKind::key:
      return linear_formula(trace, id, "x W_K", StageKind::b_key);
    case StageKind::value:
      return linear_formula(trace, id, "x W_V", StageKind::b_value);
    case StageKind::scaled:
      return scaled_formula(trace);
    case StageKind::masked:
      return masked_formula(trace);
    case StageKind::weights:
      return trace.options().softmax == SoftmaxAxis::keys
                 ? "softmax(masked) over keys"
                 : "softmax(masked) over queries: rows need not sum to 1";
    case StageKind::contribution:
      return "O_" + head + " W_O[" + head + "]";
    case StageKind::concat:
      return concat_formula(a.n_heads);
    case StageKind::projected:
      return a.output_projection ? linear_formula(trace, id, "C W_O", StageKind::b_output)
                                 : "C (no output projection)";
    default:
      return std::string(line.formula);
  }
}

std::string shape_text(const MatrixView& view) {
  return "[" + std::to_string(view.rows) + " × " + std::to_string(view.cols) + "]";
}

}  // namespace headscope
