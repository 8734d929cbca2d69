#include "core/trace/stage_record.h"

namespace headscope {

const LayerWeights& PassPlace::layer_weights() const {
  return stack_weights().layers[static_cast<std::size_t>(id.layer)];
}

const AttentionWeights& PassPlace::attention_weights() const {
  return id.attention == AttentionKind::self ? layer_weights().self : layer_weights().cross;
}

const NormWeights& PassPlace::norm_weights() const {
  return id.attention == AttentionKind::self ? layer_weights().self_norm : layer_weights().cross_norm;
}

const NormWeights& PassPlace::output_norm_weights() const {
  return id.attention == AttentionKind::self ? layer_weights().self_output_norm
                                             : layer_weights().cross_output_norm;
}

const AttentionBuffers& PassPlace::attention() const {
  return id.attention == AttentionKind::self ? layer().self : layer().cross;
}

const SublayerBuffers& PassPlace::around_attention() const {
  return id.attention == AttentionKind::self ? layer().around_self : layer().around_cross;
}

MatrixView PassPlace::rows(const float* data, int width) const {
  if (data == nullptr) return {};
  return {data, stack().n_tokens, width, width};
}

MatrixView PassPlace::head_columns(const float* all_heads, int n, int width) const {
  if (all_heads == nullptr) return {};
  const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(architecture().n_heads) * width;
  return {all_heads + static_cast<std::ptrdiff_t>(id.head) * width, n, width, stride};
}

MatrixView PassPlace::group_columns(const float* all_groups, int n, int width) const {
  if (all_groups == nullptr) return {};
  const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(architecture().kv_heads()) * width;
  return {all_groups + static_cast<std::ptrdiff_t>(id.head / architecture().group_size()) * width, n, width,
          stride};
}

MatrixView PassPlace::head_map(const float* maps) const {
  if (maps == nullptr) return {};
  const AttentionShape& s = attention().shape;
  return {maps + static_cast<std::size_t>(id.head) * s.map_floats(), s.n_queries, s.n_keys, s.n_keys};
}

}  // namespace headscope
