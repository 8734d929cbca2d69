#include "core/trace/parameter.h"

namespace headscope {
namespace {

MatrixView layer_parameter(const Architecture& a, const LayerWeights& layer, const StageId& id) {
  const bool is_self = id.attention == AttentionKind::self;
  const AttentionWeights& w = is_self ? layer.self : layer.cross;
  const NormWeights& norm = is_self ? layer.self_norm : layer.cross_norm;
  const auto columns = [&id](const auto& matrix, int width) {
    return view_of(matrix.middleCols(id.head * width, width));
  };
  switch (id.kind) {
    case StageKind::norm_gain:
      return view_of(norm.gain);
    case StageKind::norm_bias:
      return view_of(norm.bias);
    case StageKind::w_query:
      return columns(w.query.weight, a.head_width());
    case StageKind::b_query:
      return columns(w.query.bias, a.head_width());
    case StageKind::w_key:
      return columns(w.key.weight, a.head_width());
    case StageKind::b_key:
      return columns(w.key.bias, a.head_width());
    case StageKind::w_value:
      return columns(w.value.weight, a.value_width());
    case StageKind::b_value:
      return columns(w.value.bias, a.value_width());
    case StageKind::w_output:
      return view_of(w.out.weight);
    case StageKind::b_output:
      return view_of(w.out.bias);
    case StageKind::w_1:
      return view_of(layer.feed_forward.hidden.weight);
    case StageKind::b_1:
      return view_of(layer.feed_forward.hidden.bias);
    case StageKind::w_2:
      return view_of(layer.feed_forward.output.weight);
    case StageKind::b_2:
      return view_of(layer.feed_forward.output.bias);
    case StageKind::feed_forward_norm_gain:
      return view_of(layer.feed_forward_norm.gain);
    case StageKind::feed_forward_norm_bias:
      return view_of(layer.feed_forward_norm.bias);
    default:
      return {};
  }
}

}  // namespace

MatrixView parameter_view(const Model& model, const Unembedding* unembedding, const StageId& id) {
  const Architecture& a = model.architecture;
  if (id.kind == StageKind::embedding_table) return view_of(model.embedding_table);
  if (id.kind == StageKind::positions_table) return view_of(model.positions_table);
  if (id.kind == StageKind::w_logits) return view_of(unembedding->weight);
  if (id.kind == StageKind::b_logits) return view_of(unembedding->bias);
  const StackWeights& stack = model.stack(id.stack);
  if (id.kind == StageKind::final_norm_gain) return view_of(stack.norm.gain);
  if (id.kind == StageKind::final_norm_bias) return view_of(stack.norm.bias);
  return layer_parameter(a, stack.layers[static_cast<std::size_t>(id.layer)], id);
}

}  // namespace headscope
